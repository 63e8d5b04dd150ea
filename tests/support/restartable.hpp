// SPDX-License-Identifier: BSD-2-Clause
// A test's own buffers and restartable-sequences area, which no kernel uses.
#ifndef CPRNG_TESTS_RESTARTABLE_HPP
#define CPRNG_TESTS_RESTARTABLE_HPP

#include "cprng/cprng.h"

#if CPRNG_HAVE_RESTARTABLE_DRAW

#include "doctest/doctest.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#define _Static_assert static_assert
extern "C" {
#include "core/buffer.h"
#include "cpu/cpu.h"
#if defined(__x86_64__)
#include "process/placement/percpu_x86_64.h"
#else
#include "process/placement/percpu_aarch64.h"
#endif
#include "process/percpu_few.h"
}
#undef _Static_assert

namespace restartable {

// The beginning of the kernel's struct rseq.
struct Area {
	std::uint32_t cpu_id_start, cpu_id;
	std::uint64_t rseq_cs;
};

constexpr std::uint32_t cpus = 3, here = 1;
constexpr std::uint64_t generation = 77;

struct Buffers {
	Buffers() : buffers(new(std::align_val_t{ 4096 }) cprng_buffer[cpus])
	{
		std::memset(static_cast<void *>(buffers), 0, cpus * sizeof(cprng_buffer));
		draw.buffers = reinterpret_cast<unsigned char *>(buffers);
		draw.rseq_offset = reinterpret_cast<char *>(&area) - static_cast<char *>(__builtin_thread_pointer());
		draw.cpus = cpus;
		area.cpu_id_start = area.cpu_id = here;
	}

	~Buffers()
	{
		// Checks that the sequence has cleared its descriptor and that other CPUs' buffers are unchanged.
		CHECK(area.rseq_cs == 0);
		for (const std::uint32_t other : { 0u, 2u }) {
			const auto *bytes = reinterpret_cast<const unsigned char *>(&buffers[other]);
			CHECK(std::all_of(bytes, bytes + sizeof(cprng_buffer), [](unsigned char c) { return c == 0; }));
		}
		::operator delete[](buffers, std::align_val_t{ 4096 });
	}

	Buffers(const Buffers &) = delete;
	Buffers &operator=(const Buffers &) = delete;

	// Byte i is neither 0 nor equal to a neighbour.
	void fill(std::uint32_t left)
	{
		cprng_buffer &b = buffers[here];

		b.left = left;
		for (std::uint32_t i = 0; i < CPRNG_BUFFER_SIZE; i++)
			b.out[i] = i < left ? static_cast<std::uint8_t>(i % 251 + 1) : 0;
	}

	cprng_buffer &mine()
	{
		return buffers[here];
	}

	Area area = {};
	cprng_draw draw = {};
	cprng_buffer *buffers;
};

using Pop = bool (*)(const struct cprng_draw *d, std::uint8_t *dst, std::size_t len);
using Push = void (*)(const struct cprng_draw *d, const std::uint64_t *now, std::uint64_t generation,
		      const std::uint8_t *src, std::size_t len);

struct Copies {
	Pop pop;
	Push push;
};

// The sequences that this CPU can run.
inline std::vector<Copies> all_copies()
{
#if defined(__x86_64__)
	std::vector<Copies> all = { { cprng_percpu_pop_sse2, cprng_percpu_push_sse2 } };
	if ((cprng_cpu_features() & CPRNG_CPU_AVX2) != 0)
		all.push_back({ cprng_percpu_pop_avx2, cprng_percpu_push_avx2 });
	if ((cprng_cpu_features() & CPRNG_CPU_AVX512) != 0)
		all.push_back({ cprng_percpu_pop_avx512, cprng_percpu_push_avx512 });
	return all;
#else
	return { { cprng_percpu_pop, cprng_percpu_push } };
#endif
}

// Draws `bits` bits to dst; false if too few bytes remain.
#define RESTARTABLE_DRAW(bits) \
	inline bool draw_##bits(const struct cprng_draw *d, std::uint8_t *dst) \
	{ \
		std::conditional_t<(bits) == 64, std::uint64_t, std::uint32_t> value; \
		unsigned char empty = 1; \
		CPRNG_DRAW_##bits(d, CPRNG_RSEQ_OFFSET(d), d->buffers, value, empty); \
		if (empty != 0) \
			return false; \
		const auto narrow = static_cast<std::uint##bits##_t>(value); \
		std::memcpy(dst, &narrow, sizeof(narrow)); \
		return true; \
	}

RESTARTABLE_DRAW(8)
RESTARTABLE_DRAW(16)
RESTARTABLE_DRAW(32)
RESTARTABLE_DRAW(64)

// 9 to 64 bytes.
inline bool draw_bytes(const struct cprng_draw *d, std::uint8_t *dst, std::size_t len)
{
	unsigned char empty = 1;

	CPRNG_DRAW_BYTES(d, CPRNG_RSEQ_OFFSET(d), d->buffers, dst, len, empty);
	return empty == 0;
}

struct Few {
	Pop draw;
	std::size_t least;
};

// The sequences of `least` to 64 bytes that this CPU can run.
inline std::vector<Few> all_few()
{
	std::vector<Few> all = { { draw_bytes, 9 } };
#if defined(__x86_64__)
	if ((cprng_cpu_features() & CPRNG_CPU_AVX512) != 0)
		all.push_back({ cprng_percpu_pop_halves, 33 });
#endif
	return all;
}

} // namespace restartable

#endif
#endif

// SPDX-License-Identifier: BSD-2-Clause
// In every draw, the addresses of loads and of stores differ in their low 12 bits.
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/scenario.hpp"

#include <algorithm>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>

extern "C" {
#include "process/process.h"
}

namespace {

constexpr std::size_t page = 4096, line = 64;

// About the bytes that a refill of 1 KiB leaves in a buffer, and the buffer's head.  A part of a line counts as a whole line.
constexpr std::size_t stored = 1024 - 32;

std::uintptr_t number_of(const void *p)
{
	return reinterpret_cast<std::uintptr_t>(p);
}

// Counts, byte by byte, the addresses in lines of which any byte aliases a stored byte.
std::size_t aliases(std::size_t offset, const std::vector<const void *> &loaded, std::size_t bytes)
{
	std::vector<bool> taken(page);
	for (std::size_t i = 0; i < bytes; i++)
		taken[(offset + i) % page] = true;
	return static_cast<std::size_t>(std::count_if(loaded.begin(), loaded.end(), [&](const void *p) {
		const auto first = taken.begin() + static_cast<long>(number_of(p) % page / line * line);
		return std::find(first, first + line, true) != first + line;
	}));
}

std::size_t chosen(const std::vector<const void *> &loaded, std::size_t bytes)
{
	return cprng_offset_without_aliases(loaded.data(), loaded.size(), bytes);
}

const void *at(std::size_t offset)
{
	return reinterpret_cast<const void *>(7 * page + offset);
}

// The addresses from which an inlined draw loads.
std::vector<const void *> loaded_by_draws()
{
	return { &cprng_draw_1, cprng_os_sequence_area(cprng_process()->draw.rseq_offset) };
}

std::uintptr_t area_at;

// Makes the set-up in a thread whose rseq area would alias buffers at the start of their pages.
void *draw_first(void *)
{
	(void)cprng_fast32();
	REQUIRE_IN_CHILD(machine::per_cpu());
	const std::vector<const void *> loaded = loaded_by_draws();
	const std::size_t offset = number_of(cprng_process()->buffers) % page;
	REQUIRE_IN_CHILD(aliases(0, loaded, stored) > 0);
	REQUIRE_IN_CHILD(aliases(offset, loaded, stored) == 0);
	return nullptr;
}

void *look(void *)
{
	std::ptrdiff_t offset = 0;
	if (cprng_os_restartable_sequences(&offset))
		area_at = number_of(cprng_os_sequence_area(offset)) % page;
	return nullptr;
}

// A thread whose stack, with the C library's data above it, ends this many bytes below the end of the memory.
void run_with_stack(unsigned char *memory, std::size_t size, std::size_t lower, void *(*run)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;

	REQUIRE_IN_CHILD(pthread_attr_init(&attributes) == 0);
	REQUIRE_IN_CHILD(pthread_attr_setstack(&attributes, memory, size - lower) == 0);
	REQUIRE_IN_CHILD(pthread_create(&thread, &attributes, run, nullptr) == 0);
	REQUIRE_IN_CHILD(pthread_join(thread, nullptr) == 0);
	pthread_attr_destroy(&attributes);
}

const scenario::Scenario buffers("aliasing: buffers", [] {
	constexpr std::size_t size = std::size_t{ 1 } << 20, wanted = 4 * line;
	void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE_IN_CHILD(memory != MAP_FAILED);
	run_with_stack(static_cast<unsigned char *>(memory), size, 0, look);
	run_with_stack(static_cast<unsigned char *>(memory), size, (area_at - wanted) % page / line * line, draw_first);
});

} // namespace

// Catches addresses that are compared by byte instead of by line, a missed wrap at the end of a page, and an offset larger
// than necessary.
TEST_CASE("aliasing: an offset at which nothing aliases is found, and is the least")
{
	for (std::size_t a = 0; a < page; a += line) {
		for (std::size_t b = 0; b < page; b += line) {
			const std::vector<const void *> loaded = { at(a + 8), at(b + 60), at(1728), at(1792) };
			const std::size_t offset = chosen(loaded, stored);
			REQUIRE(offset % line == 0);
			REQUIRE(offset < page);
			REQUIRE(aliases(offset, loaded, stored) == 0);
			for (std::size_t less = 0; less < offset; less += line)
				REQUIRE(aliases(less, loaded, stored) > 0);
		}
	}
	// Between these are 20, 20 and 21 lines.
	const std::vector<const void *> apart = { at(0), at(21 * line), at(42 * line) };
	CHECK(chosen(apart, 20 * line) == line);
	CHECK(chosen(apart, 20 * line + 1) == 43 * line);
}

// Catches a search that ends without an offset, or with an arbitrary one.
TEST_CASE("aliasing: where there is no such offset, it is one with the fewest")
{
	CHECK(chosen({ at(0), at(0), at(16 * line), at(32 * line), at(48 * line) }, 17 * line) == line);
	CHECK(chosen({ at(0) }, page) == 0);
	CHECK(chosen({}, page) == 0);
}

// Catches buffers that begin at the start of their pages although draws load from aliasing addresses.
TEST_CASE("aliasing: no draw of 32 bits stores to what the next one seems to load")
{
	SKIP_IF(!machine::per_cpu(), "no per-CPU buffers");
	scenario::check(buffers);
}

// SPDX-License-Identifier: BSD-2-Clause
// The parts of a draw.  They are not generators, and are measured only if named.
#include <sys/mman.h>

#include <cprng/cprng.h>

#include "../../common/bare_loop.hpp"
#include "core/lengths.h"
#include "../contenders/source.hpp"

namespace lab {

namespace {

const char *engine_of_draws()
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	return info.engine;
}

// The cipher that serves draws, under one key and without a generator.  Each request starts at a new block; the rest of its
// last block is discarded.
class bare : public source_of_bytes<bare> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		loop_(out, len, len >= CPRNG_STREAMING_MIN ? CPRNG_STREAMING : 0);
		if (const std::size_t rest = len % loop_.block_size(); rest != 0) {
			unsigned char block[CPRNG_BLOCK_SIZE_MAX];
			loop_(block, loop_.block_size());
			std::memcpy(out + len - rest, block, rest);
		}
	}

private:
	bare_loop loop_{ engine_of_draws() };
};

} // namespace

#if CPRNG_HAVE_RESTARTABLE_DRAW
namespace {

constexpr std::size_t page = 4096, head = 64; // a buffer's page and header, as in draw.h

constexpr std::uint32_t refilled = 1024 - 32; // bytes that a library refill leaves for 32-bit draws

constexpr int first_byte = 0x5a; // the numbers' first byte, before they are erased

// Per-CPU buffers as in the library, but a refill only resets `left`, and the numbers are zeros.  As in the library,
// refilled bytes and draws' loads have different low 12 address bits, because a load may wait for a store with the same
// ones.  Each part has its own.
template <typename Part> class pages {
public:
	pages()
	{
		cprng_fast32();
		check(cprng_draw_1.buffers != nullptr, "the restartable draw");
		draw_ = cprng_draw_1;
		size_ = (draw_.cpus + 2) * page;
		mapped_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
		check(mapped_ != MAP_FAILED, "mmap");
		draw_.buffers = static_cast<unsigned char *>(mapped_);
		while (aliases(&draw_) || aliases(area()))
			draw_.buffers += head;
		std::memset(draw_.buffers, first_byte, draw_.cpus * page);
		for (std::uint32_t cpu = 0; cpu < draw_.cpus; cpu++)
			fill_up(draw_.buffers + cpu * page);
	}

	~pages()
	{
		munmap(mapped_, size_);
	}

	pages(const pages &) = delete;
	pages &operator=(const pages &) = delete;

	static const cprng_draw &draw()
	{
		return draw_;
	}

	static unsigned char *of_cpu()
	{
		return draw_.buffers + area()[1] * page;
	}

	static volatile std::uint32_t *left_in(unsigned char *buffer)
	{
		return reinterpret_cast<volatile std::uint32_t *>(buffer);
	}

	// Takes a 32-bit number from a buffer, filling an empty one; the caller stores the result.
	static std::uint32_t left_after_number(unsigned char *buffer)
	{
		std::uint32_t left = *left_in(buffer);
		if (__builtin_expect(left < sizeof(left), 0)) {
			fill_up(buffer);
			left = *left_in(buffer);
		}
		return left - static_cast<std::uint32_t>(sizeof(left));
	}

	[[gnu::cold, gnu::noinline]] static void fill_up(unsigned char *buffer)
	{
		std::memcpy(buffer, &refilled, sizeof(refilled));
	}

private:
	// The area where the kernel keeps the CPU number, found in the same way as by the draw.
	static const volatile std::uint32_t *area()
	{
		const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
		return reinterpret_cast<const volatile std::uint32_t *>(thread +
									static_cast<std::uintptr_t>(draw_.rseq_offset));
	}

	static bool aliases(const volatile void *loaded)
	{
		const auto line = reinterpret_cast<std::uintptr_t>(loaded) / head * head;
		return (line - reinterpret_cast<std::uintptr_t>(draw_.buffers)) % page < head + refilled;
	}

	// Not inlined, as cprng_draw_1 in a program.
	static cprng_draw draw_;
	void *mapped_;
	std::size_t size_;
};

template <typename Part> cprng_draw pages<Part>::draw_;

// Nonzero, because zeros would be rejected repeatedly, unlike a draw's numbers.
template <typename Source> class part : public source_of_words<Source, std::uint32_t> {
	friend Source;
	part() = default;

public:
	std::uint32_t below(std::uint32_t n)
	{
		return static_cast<std::uint32_t>(std::uint64_t{ this->template next<std::uint32_t>() } * n >> 32);
	}
};

// Only `left`, at an address computed for each draw: load, subtract, store; the next draw waits for the store.
class chain : public part<chain> {
public:
	std::uint32_t step()
	{
		unsigned char *const buffer = pages<chain>::of_cpu();
		const std::uint32_t left = pages<chain>::left_after_number(buffer);
		*pages<chain>::left_in(buffer) = left;
		return left;
	}

private:
	pages<chain> pages_;
};

// In addition loads and erases the number, as a program without the sequence would.
class unprotected : public part<unprotected> {
public:
	std::uint32_t step()
	{
		unsigned char *const buffer = pages<unprotected>::of_cpu();
		const std::uint32_t left = pages<unprotected>::left_after_number(buffer);
		auto *const number = reinterpret_cast<volatile std::uint32_t *>(buffer + head + left);
		const std::uint32_t value = *number;
		*pages<unprotected>::left_in(buffer) = left;
		*number = 0;
		return value;
	}

private:
	pages<unprotected> pages_;
};

// The library's own sequence.
class sequence : public part<sequence> {
public:
	std::uint32_t step()
	{
		std::uint32_t value;
		unsigned char empty;
		const cprng_draw *const d = &pages<sequence>::draw();
		CPRNG_DRAW_32(d, CPRNG_RSEQ_OFFSET(d), d->buffers, value, empty);
		if (__builtin_expect(empty, 0)) {
			pages<sequence>::fill_up(pages<sequence>::of_cpu());
			return 0;
		}
		return value;
	}

private:
	pages<sequence> pages_;
};

} // namespace
#endif

void add_parts(contender_list &all)
{
	constexpr const char *chain_name = "draw-chain",
			     *chain_is = "the count of what is left, lowered in the CPU's buffer";
	constexpr const char *plain_name = "draw-unprotected",
			     *plain_is = "and the number, read and erased, without a sequence";
	constexpr const char *sequence_name = "draw-sequence";
	constexpr const char *sequence_is = "the library's sequence, on a buffer that needs no refill";
	const std::size_t first = all.size();
#if CPRNG_HAVE_RESTARTABLE_DRAW
	add_contender<chain>(all, chain_name, chain_is, false);
	add_contender<unprotected>(all, plain_name, plain_is, false);
	add_contender<sequence>(all, sequence_name, sequence_is, false);
#else
	constexpr const char *why = "there is no restartable draw for this architecture";
	add_absent(all, chain_name, chain_is, false, why);
	add_absent(all, plain_name, plain_is, false, why);
	add_absent(all, sequence_name, sequence_is, false, why);
#endif
	add_contender<bare>(all, "bare", "the cipher that serves draws, without a generator; part of a block by a copy",
			    false);
	for (std::size_t i = first; i < all.size(); i++)
		all[i].part = true;
}

} // namespace lab

// SPDX-License-Identifier: BSD-2-Clause
// The process's generators: cprng_fast, cprng_strong, cprng::fill.  (cprng::generator has no buffer: it draws words.)
#include "doctest/doctest.h"

#include "seams.hpp"

#include "cprng/cprng.hpp"

namespace {

bool fast(void *buf, std::size_t len)
{
	cprng_fast(buf, len);
	return true;
}

bool strong(void *buf, std::size_t len)
{
	cprng_strong(buf, len);
	return true;
}

// The container for cprng::fill: as many whole elements as fit into len bytes.
template <typename Element> struct Elements {
	Element *first;
	std::size_t count;

	Element *data() const
	{
		return first;
	}
	std::size_t size() const
	{
		return count;
	}
};

template <typename Element> void check_elements(const std::string &what)
{
	filled::Memory memory(sizeof(Element) * 300);
	REQUIRE(memory.is_there());
	INFO(what);

	for (std::size_t count = 0; count <= 300; count++) {
		const auto fill = [](void *buf, std::size_t len) {
			cprng::fill(Elements<Element>{ static_cast<Element *>(buf), len / sizeof(Element) });
			return true;
		};
		const std::string fault =
			filled::fault(memory, fill, count * sizeof(Element), count % 8 * alignof(Element));
		CHECK(fault == "");
		if (!fault.empty())
			return;
	}
}

} // namespace

// Catches a library built with the real limits, which would make these tests ineffective.
TEST_CASE("lengths: the limits of this library are low")
{
	// The tests' limits must equal those compiled into the library: count the pieces of a request.
	cprng_generator g;
	cprng_generator_init(&g, cprng_engine_find("aes256-ctr"), cprng_engine_select(cprng_engine_find("aes256-ctr")));
	CHECK(cprng_generator_piece_max(&g) == 16 * 48);

	std::vector<std::uint8_t> buf(4 * READ_MAX);
	strong(buf.data(), 1);
	const unsigned long before = seams::fortuna_reads + seams::kernel_reads;
	strong(buf.data(), buf.size());
	CHECK(seams::fortuna_reads + seams::kernel_reads - before >= 4);
	CHECK(lengths::most < 8192);
}

// Catches an unfilled byte near a limit.
TEST_CASE("lengths: cprng_fast")
{
	lengths::check("cprng_fast", fast);
}

// Catches a byte that a refill leaves unfilled.
TEST_CASE("lengths: cprng_fast, each time from an empty buffer")
{
	const auto first = [](void *buf, std::size_t len) {
		cprng_invalidate();
		return fast(buf, len);
	};
	// Lengths served from the buffer, and the first lengths that need a one-time key.
	lengths::check("after cprng_invalidate", first, CPRNG_SHORT_MAX + 100);
}

// Catches an unfilled byte where the buffer holds too few bytes.
TEST_CASE("lengths: cprng_fast, from a buffer with any filling")
{
	std::uint8_t others[CPRNG_SHORT_MAX];
	std::size_t calls = 0;
	const auto later = [&](void *buf, std::size_t len) {
		// 37 and 512 are coprime, so the buffer's fill differs between the 8 calls, and between lengths.
		cprng_fast(others, 37 * calls++ % sizeof(others));
		return fast(buf, len);
	};
	lengths::check("after others", later, CPRNG_SHORT_MAX + 100);
}

// Catches an unfilled byte in a concurrent read.
TEST_CASE("lengths: cprng_strong, generated outside the lock")
{
	lengths::check("concurrent", strong);
}

// Catches an unfilled byte in a read under the lock.
TEST_CASE("lengths: cprng_strong, generated under the lock")
{
	SKIP_IF(!machine::buffered(), "no locks: all bytes come from the kernel");
	cprng_strong_set_locked_reads(1);
	lengths::check("locked", strong);
	cprng_strong_set_locked_reads(0);
}

// Catches a size counted in elements instead of bytes.
TEST_CASE("lengths: cprng::fill, elements of every size")
{
	struct Pixel {
		std::uint8_t red, green, blue;
	};
	check_elements<std::uint8_t>("1 byte");
	check_elements<std::uint16_t>("2 bytes");
	check_elements<Pixel>("3 bytes");
	check_elements<std::uint32_t>("4 bytes");
	check_elements<std::uint64_t>("8 bytes");
}

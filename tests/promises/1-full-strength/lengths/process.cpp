// SPDX-License-Identifier: BSD-2-Clause
// The generators of the process: cprng_fast, cprng_strong, cprng::fill.  (cprng::generator has no buffer: it draws words.)
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

// What cprng::fill takes for a container: as many whole elements as there are in len bytes.
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

// Catches a library with the real limits, with which these tests would show nothing.
TEST_CASE("lengths: the limits of this library are low")
{
	// The tests' view of the limits, and that of the library's objects: as many pieces as the one says, by the other.
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

// Catches a byte that is unfilled about one of the limits.
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
	// What comes out of the buffer, and the first keys that do not.
	lengths::check("after cprng_invalidate", first, CPRNG_SHORT_MAX + 100);
}

// Catches a byte that is unfilled where the buffer holds too little.
TEST_CASE("lengths: cprng_fast, from a buffer with any filling")
{
	std::uint8_t others[CPRNG_SHORT_MAX];
	std::size_t calls = 0;
	const auto later = [&](void *buf, std::size_t len) {
		// 37 and 512 have no common factor, so the fillings of 8 calls differ, and those of each length from others.
		cprng_fast(others, 37 * calls++ % sizeof(others));
		return fast(buf, len);
	};
	lengths::check("after others", later, CPRNG_SHORT_MAX + 100);
}

// Catches a byte that a concurrent read leaves unfilled.
TEST_CASE("lengths: cprng_strong, generated outside the lock")
{
	lengths::check("concurrent", strong);
}

// Catches a byte that a read under the lock leaves unfilled.
TEST_CASE("lengths: cprng_strong, generated under the lock")
{
	SKIP_IF(!machine::buffered(), "no locks: all is the kernel's");
	cprng_strong_set_locked_reads(1);
	lengths::check("locked", strong);
	cprng_strong_set_locked_reads(0);
}

// Catches a size that is counted in elements instead of bytes.
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

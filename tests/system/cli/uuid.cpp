// SPDX-License-Identifier: BSD-2-Clause
// The fields of UUIDs (RFC 9562), and the order of version 7.
#include "doctest/doctest.h"

#include <string>

#include "sources.hpp"
#include "text/uuid.hpp"

// Catches version or variant bits that are random, or random bits that are fixed.
TEST_CASE("uuid: version 4")
{
	scripted_source ones({ UINT64_MAX, UINT64_MAX });
	CHECK(as_view(as_text(make_uuid4(ones))) == "ffffffff-ffff-4fff-bfff-ffffffffffff");
	scripted_source zeros({ 0, 0 });
	CHECK(as_view(as_text(make_uuid4(zeros))) == "00000000-0000-4000-8000-000000000000");
	scripted_source words({ 0x0123456789abcdef, 0xfedcba9876543210 });
	CHECK(as_view(as_text(make_uuid4(words))) == "01234567-89ab-4def-bedc-ba9876543210");
}

// Catches time, counter or version in the wrong place.
TEST_CASE("uuid: version 7")
{
	// The time and random bits of the example in RFC 9562, appendix A.6.
	scripted_source source({ 0x4c3, 0x18c4dc0c0c07398f });
	uuid7_maker maker;
	CHECK(as_view(as_text(maker.make(source, 0x017f22e279b0))) == "017f22e2-79b0-74c3-98c4-dc0c0c07398f");
	CHECK(source.last_bound == 2048);
}

// Catches a counter that overflows into the version, and an order that a clock breaks.
TEST_CASE("uuid: version 7 is in order, whatever the clock does")
{
	keyed_source source(4);
	uuid7_maker maker;
	std::string last;
	std::uint64_t time = 1000;
	// Thousands in a millisecond; then the clock is set back, and forward.
	for (int i = 0; i < 20'000; i++) {
		if (i == 10'000)
			time = 10;
		if (i == 15'000)
			time = 100'000;
		const std::string id(as_view(as_text(maker.make(source, time))));
		CHECK(id > last);
		CHECK(id[14] == '7');
		if (i == 15'000)
			CHECK(id.substr(0, 13) == "00000001-86a0");
		last = id;
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// UUIDs of RFC 9562.
#ifndef CPRNG_CLI_TEXT_UUID_HPP
#define CPRNG_CLI_TEXT_UUID_HPP

#include <cstdint>

#include "common/source.hpp"
#include "common/wiped.hpp"

// A version 4 UUID may be a secret, such as a token.
using uuid = wiped_array<std::uint8_t, 16>;
using uuid_text = wiped_array<char, 36>;

uuid_text as_text(const uuid &id);

// Version 4: 122 random bits.
uuid make_uuid4(random_source &source);

// Version 7: 48 bits of milliseconds since 1970, a 12-bit counter and 62 random bits.  In each millisecond the counter
// starts at a random number below 2^11 and counts up (section 6.2, method 1), so one maker's UUIDs are in order, even
// if the clock is set back.
class uuid7_maker {
public:
	uuid make(random_source &source, std::uint64_t milliseconds);

private:
	std::uint64_t last_ = 0;
	std::uint64_t counter_ = 0;
	bool any_ = false;
};

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Hexadecimal keys and nonces of the command line.
#ifndef CPRNG_CLI_COMMON_HEX_HPP
#define CPRNG_CLI_COMMON_HEX_HPP

#include <cstdint>
#include <string_view>

#include "common/wiped.hpp"

// Decode an even number of hexadecimal digits, in either case.  `what` names the option in the usage_error.  The
// message never repeats the digits: they may be a key, and standard error may be a log.
wiped_vector<std::uint8_t> parse_hex(std::string_view what, std::string_view text);

#endif

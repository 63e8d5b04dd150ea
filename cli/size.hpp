// SPDX-License-Identifier: BSD-2-Clause
// Sizes and counts of the command line.
#ifndef CPRNG_CLI_SIZE_HPP
#define CPRNG_CLI_SIZE_HPP

#include <cstdint>
#include <string_view>

// Bytes of a size such as 4096, 64KiB or 1MB.  what names the argument in the message of the usage_error.
std::uint64_t parse_size(std::string_view what, std::string_view text);

// A whole decimal number without sign or unit.
std::uint64_t parse_number(std::string_view what, std::string_view text);

#endif

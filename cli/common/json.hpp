// SPDX-License-Identifier: BSD-2-Clause
// Text as a JSON string.
#ifndef CPRNG_CLI_COMMON_JSON_HPP
#define CPRNG_CLI_COMMON_JSON_HPP

#include <string>
#include <string_view>

// With its quotes.  what names where the text came from in the runtime_failure of a text that is not UTF-8.
std::string json_string(std::string_view what, std::string_view text);

// The same without its quotes: the texts of parts make the text of the whole.
std::string json_part(std::string_view what, std::string_view text);

#endif

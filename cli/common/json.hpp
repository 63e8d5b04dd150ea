// SPDX-License-Identifier: BSD-2-Clause
// Text as a JSON string.
#ifndef CPRNG_CLI_COMMON_JSON_HPP
#define CPRNG_CLI_COMMON_JSON_HPP

#include <string>
#include <string_view>

// The text with its quotes.  `what` names its source in the runtime_failure for text that is not UTF-8.
std::string json_string(std::string_view what, std::string_view text);

// The same without quotes.  The encoding of a concatenation is the concatenation of the encodings.
std::string json_part(std::string_view what, std::string_view text);

#endif

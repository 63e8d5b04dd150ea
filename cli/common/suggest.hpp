// SPDX-License-Identifier: BSD-2-Clause
// "did you mean" for typing errors.
#ifndef CPRNG_CLI_COMMON_SUGGEST_HPP
#define CPRNG_CLI_COMMON_SUGGEST_HPP

#include <string>
#include <string_view>
#include <vector>

// Lower-case ASCII letters.
std::string lower(std::string_view text);

// "; did you mean 'bytes'?" for the known word that is nearest to what was typed, or an empty text if no word is near.
std::string did_you_mean(std::string_view typed, const std::vector<std::string> &known);

// Throw the usage_error "WHAT: 'typed' is unknown; did you mean ...? (known: ...)".
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view typed, const std::vector<std::string> &known);

#endif

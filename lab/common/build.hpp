// SPDX-License-Identifier: BSD-2-Clause
// What was measured, and with what it is compared.
#ifndef CPRNG_LAB_COMMON_BUILD_HPP
#define CPRNG_LAB_COMMON_BUILD_HPP

#include <nlohmann/json.hpp>

namespace lab {

// Commit, build type, compilers of library and lab with their flags.
nlohmann::ordered_json describe_build();

// The versions of the other generators that this program was built with, as they are at run time where they tell.
nlohmann::ordered_json describe_peers();

} // namespace lab

#endif

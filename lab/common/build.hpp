// SPDX-License-Identifier: BSD-2-Clause
// The build that was measured, and the versions of the other generators.
#ifndef CPRNG_LAB_COMMON_BUILD_HPP
#define CPRNG_LAB_COMMON_BUILD_HPP

#include <nlohmann/json.hpp>

namespace lab {

// Commit, build type, compilers of library and lab, and their flags.
nlohmann::ordered_json describe_build();

// The versions of the other generators: the run-time version if it can be queried, else the build's.
nlohmann::ordered_json describe_peers();

} // namespace lab

#endif

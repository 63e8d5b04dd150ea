// SPDX-License-Identifier: BSD-2-Clause
// The error for an output that does not fit into a file system.
#ifndef CPRNG_CLI_OUTPUT_SPACE_HPP
#define CPRNG_CLI_OUTPUT_SPACE_HPP

#include <cstdint>
#include <string>

// Throw runtime_failure: NAME, the error, and how many bytes are wanted and free.
[[noreturn]] void fail_to_fit(const std::string &name, int error, std::uint64_t wanted, std::uint64_t free);

#endif

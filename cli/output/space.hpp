// SPDX-License-Identifier: BSD-2-Clause
// The space of a file system, and the refusal of what does not fit.
#ifndef CPRNG_CLI_OUTPUT_SPACE_HPP
#define CPRNG_CLI_OUTPUT_SPACE_HPP

#include <cstdint>
#include <optional>
#include <string>

struct statvfs;

struct space {
	std::uint64_t whole;
	// Without the blocks kept for root: user 0 of a container has no right to them.
	std::uint64_t free;
};

// Of a file system that knows its size; some, such as ramfs, do not.
std::optional<space> space_of(const struct statvfs &status);

// Throw runtime_failure: NAME, the error, and how many bytes are wanted and free.
[[noreturn]] void fail_to_fit(const std::string &name, int error, std::uint64_t wanted, std::uint64_t free);

#endif

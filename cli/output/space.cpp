// SPDX-License-Identifier: BSD-2-Clause
#include "output/space.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "common/error.hpp"
#include "output/progress.hpp"

std::optional<space> space_of(const struct statvfs &status)
{
	if (status.f_blocks == 0)
		return std::nullopt;
	// A file system without a limit may report more than 2^64 bytes.
	const auto bytes = [&](std::uint64_t blocks) {
		std::uint64_t size;
		return __builtin_mul_overflow(blocks, std::uint64_t{ status.f_frsize }, &size) ? UINT64_MAX : size;
	};
	return space{ bytes(status.f_blocks), bytes(status.f_bavail) };
}

void fail_to_fit(const std::string &name, int error, std::uint64_t wanted, std::uint64_t free)
{
	throw runtime_failure(fmt::format("{}: {}: {} bytes ({}) are wanted, {} ({}) are free", name,
					  system_message(error), wanted, readable_size(wanted), free,
					  readable_size(free)));
}

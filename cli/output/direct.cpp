// SPDX-License-Identifier: BSD-2-Clause
#include "output/direct.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

bool direct_transfer::attach(int descriptor, std::uint64_t &capacity) noexcept
{
	int block = 0;
	if (ioctl(descriptor, BLKGETSIZE64, &capacity) != 0 || ioctl(descriptor, BLKSSZGET, &block) != 0)
		return false;
	descriptor_ = descriptor;
	block_ = static_cast<std::uint64_t>(block);
	return true;
}

bool direct_transfer::is_read_only(int descriptor) noexcept
{
	int read_only = 0;
	return ioctl(descriptor, BLKROGET, &read_only) == 0 && read_only != 0;
}

void direct_transfer::prepare(std::uint64_t position, const void *data, std::size_t size) noexcept
{
	const bool whole = (position | reinterpret_cast<std::uintptr_t>(data) | size) % block_ == 0;
	if (whole == direct_)
		return;
	// If the device refuses O_DIRECT, go through the cache.
	int flags = fcntl(descriptor_, F_GETFL);
	if (flags >= 0 && fcntl(descriptor_, F_SETFL, whole ? flags | O_DIRECT : flags & ~O_DIRECT) == 0)
		direct_ = whole;
}

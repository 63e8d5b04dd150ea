// SPDX-License-Identifier: BSD-2-Clause
// Transfers that pass by the kernel's cache, where they are whole blocks of the device.
#ifndef CPRNG_CLI_OUTPUT_DIRECT_HPP
#define CPRNG_CLI_OUTPUT_DIRECT_HPP

#include <cstddef>
#include <cstdint>

class direct_transfer {
public:
	// What a block device has, in bytes; throws nothing: errno is set, and false returned.
	bool attach(int descriptor, std::uint64_t &capacity) noexcept;

	// Before a transfer of size bytes at data and at that position of the device.
	void prepare(std::uint64_t position, const void *data, std::size_t size) noexcept;

private:
	int descriptor_ = -1;
	bool direct_ = false;
	std::uint64_t block_ = 512;
};

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Transfers that bypass the kernel's cache where they are whole blocks of the device.
#ifndef CPRNG_CLI_OUTPUT_DIRECT_HPP
#define CPRNG_CLI_OUTPUT_DIRECT_HPP

#include <cstddef>
#include <cstdint>

class direct_transfer {
public:
	// Sets `capacity` to the device's size in bytes.  Returns false and sets errno on failure.
	bool attach(int descriptor, std::uint64_t &capacity) noexcept;

	// Whether the kernel refuses all writes to the device: a switch of the medium, or blockdev --setro.
	static bool is_read_only(int descriptor) noexcept;

	// Call before each transfer of size bytes at data, at that position of the device.
	void prepare(std::uint64_t position, const void *data, std::size_t size) noexcept;

private:
	int descriptor_ = -1;
	bool direct_ = false;
	std::uint64_t block_ = 512;
};

#endif

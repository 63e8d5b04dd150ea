// SPDX-License-Identifier: BSD-2-Clause
// Memory for random bytes before they are written to the output.
#ifndef CPRNG_CLI_COMMON_BUFFER_HPP
#define CPRNG_CLI_COMMON_BUFFER_HPP

#include <cstddef>

// Whole pages that core dumps exclude and that are wiped at the end, even if an exception ends the command.
class wiped_buffer {
public:
	// Large enough that system calls cost little compared with the generator, small enough for an L2 cache.
	static constexpr std::size_t usual_size = std::size_t{ 256 } * 1024;

	explicit wiped_buffer(std::size_t size = usual_size);
	~wiped_buffer();
	wiped_buffer(const wiped_buffer &) = delete;
	wiped_buffer &operator=(const wiped_buffer &) = delete;

	char *data() const noexcept
	{
		return data_;
	}

	std::size_t size() const noexcept
	{
		return size_;
	}

private:
	char *data_;
	std::size_t size_;
};

#endif

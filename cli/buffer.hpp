// SPDX-License-Identifier: BSD-2-Clause
// Memory that random bytes pass through on their way out.
#ifndef CPRNG_CLI_BUFFER_HPP
#define CPRNG_CLI_BUFFER_HPP

#include <cstddef>

// Whole pages that stay out of core dumps and are wiped at the end, also when an exception ends the command.
class wiped_buffer {
public:
	// Large enough that system calls cost nothing beside the generator, small enough to stay in a level 2 cache.
	static constexpr std::size_t size = 256 * 1024;

	wiped_buffer();
	~wiped_buffer();
	wiped_buffer(const wiped_buffer &) = delete;
	wiped_buffer &operator=(const wiped_buffer &) = delete;

	char *data() const noexcept
	{
		return data_;
	}

private:
	char *data_;
};

#endif

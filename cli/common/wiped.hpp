// SPDX-License-Identifier: BSD-2-Clause
// Memory for keys and passwords.  It is erased when freed, also when a container grows or an exception ends the command.
#ifndef CPRNG_CLI_COMMON_WIPED_HPP
#define CPRNG_CLI_COMMON_WIPED_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "system/system.hpp"

template <typename T> class wiping_allocator {
public:
	using value_type = T;

	wiping_allocator() = default;
	template <typename U> wiping_allocator(const wiping_allocator<U> &) noexcept
	{
	}

	T *allocate(std::size_t count)
	{
		return std::allocator<T>().allocate(count);
	}

	void deallocate(T *data, std::size_t count) noexcept
	{
		wipe(data, count * sizeof(T));
		std::allocator<T>().deallocate(data, count);
	}

	friend bool operator==(const wiping_allocator &, const wiping_allocator &) noexcept
	{
		return true;
	}

	friend bool operator!=(const wiping_allocator &, const wiping_allocator &) noexcept
	{
		return false;
	}
};

template <typename T> using wiped_vector = std::vector<T, wiping_allocator<T>>;

// Not a std::string, which keeps short texts inside the object, where no allocator erases them.
using secret_text = wiped_vector<char>;

// For a size known at compile time; allocates nothing.
template <typename T, std::size_t count> struct wiped_array : std::array<T, count> {
	~wiped_array()
	{
		wipe(this->data(), sizeof(T) * count);
	}
};

template <typename Text> std::string_view as_view(const Text &text) noexcept
{
	return { text.data(), text.size() };
}

#endif

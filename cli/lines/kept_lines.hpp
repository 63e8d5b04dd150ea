// SPDX-License-Identifier: BSD-2-Clause
// Many lines in memory; each takes eight bytes besides its text.
#ifndef CPRNG_CLI_LINES_KEPT_LINES_HPP
#define CPRNG_CLI_LINES_KEPT_LINES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

// An array that grows by realloc(3), which moves the pages of a large block; a growing std::vector would hold all of them twice.
template <typename T> class grown_array {
	static_assert(std::is_trivially_copyable_v<T>);

public:
	// Throws bad_alloc.
	void append(const T *elements, std::size_t count)
	{
		if (room_ - size_ < count)
			enlarge(std::max(size_ + count, room_ + room_ / 4));
		if (count > 0)
			std::memcpy(data_.get() + size_, elements, count * sizeof(T));
		size_ += count;
	}

	const T *data() const noexcept
	{
		return data_.get();
	}

	std::size_t size() const noexcept
	{
		return size_;
	}

private:
	struct release {
		void operator()(T *data) const noexcept
		{
			std::free(data);
		}
	};

	void enlarge(std::size_t room)
	{
		void *data = room > SIZE_MAX / sizeof(T) ? nullptr : std::realloc(data_.get(), room * sizeof(T));
		if (data == nullptr)
			throw std::bad_alloc();
		(void)data_.release();
		data_.reset(static_cast<T *>(data));
		room_ = room;
	}

	std::unique_ptr<T, release> data_;
	std::size_t size_ = 0;
	std::size_t room_ = 0;
};

class kept_lines {
public:
	// Throws bad_alloc.
	void add(std::string_view line)
	{
		text_.append(line.data(), line.size());
		const std::uint64_t end = text_.size();
		ends_.append(&end, 1);
	}

	std::size_t size() const noexcept
	{
		return ends_.size();
	}

	// The bytes of all lines.
	std::uint64_t bytes() const noexcept
	{
		return text_.size();
	}

	// Valid until the next call of add().
	std::string_view operator[](std::size_t line) const noexcept
	{
		const std::uint64_t begin = line == 0 ? 0 : ends_.data()[line - 1];
		return { text_.data() + begin, static_cast<std::size_t>(ends_.data()[line] - begin) };
	}

private:
	// The lines, concatenated, and the offset of each line's end.
	grown_array<char> text_;
	grown_array<std::uint64_t> ends_;
};

#endif

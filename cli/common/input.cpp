// SPDX-License-Identifier: BSD-2-Clause
#include "common/input.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "system/system.hpp"

input::input(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name))
{
	const int error = errno;
	if (descriptor_ < 0)
		fail(error);
	if (!is_directory(descriptor_))
		return;
	// The destructor does not run for an object whose constructor throws.
	if (descriptor_ > standard_error_descriptor)
		close_file(descriptor_);
	fail(EISDIR);
}

input::~input()
{
	if (descriptor_ > standard_error_descriptor)
		close_file(descriptor_);
}

input input::file(const std::string &file)
{
	std::string name = quote(file);
	return { open_input(file), std::move(name) };
}

input input::file_or_standard(const std::string &file)
{
	if (file == "-")
		return { standard_input_descriptor, "standard input" };
	return input::file(file);
}

std::size_t input::read(char *data, std::size_t size) const
{
	const std::ptrdiff_t got = read_some(descriptor_, data, size);
	if (got < 0)
		fail(errno);
	return static_cast<std::size_t>(got);
}

secret_text input::read_whole(std::size_t most, std::string_view what) const
{
	constexpr std::size_t first = 4096;
	secret_text text(std::min(most + 1, first));
	std::size_t used = 0;
	while (const std::size_t got = read(text.data() + used, text.size() - used)) {
		used += got;
		if (used > most)
			throw runtime_failure(
				fmt::format("{}: too long for {}: more than {} bytes", name_, what, most));
		if (used == text.size())
			text.resize(std::min(most + 1, 2 * used));
	}
	text.resize(used);
	return text;
}

void input::fail(int error) const
{
	throw runtime_failure(fmt::format("{}: {}", name_, system_message(error)));
}

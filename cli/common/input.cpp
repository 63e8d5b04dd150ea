// SPDX-License-Identifier: BSD-2-Clause
#include "common/input.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.hpp"

input::input(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name))
{
	const int error = errno;
	if (descriptor_ < 0)
		fail(error);
	struct stat status;
	const bool is_directory = fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode);
	if (!is_directory)
		return;
	// The destructor does not run for an object whose constructor throws.
	if (descriptor_ > STDERR_FILENO)
		close(descriptor_);
	fail(EISDIR);
}

input::~input()
{
	if (descriptor_ > STDERR_FILENO)
		close(descriptor_);
}

input input::file(const std::string &file)
{
	std::string name = quote(file);
	return { open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY), std::move(name) };
}

input input::file_or_standard(const std::string &file)
{
	if (file == "-")
		return { STDIN_FILENO, "standard input" };
	return input::file(file);
}

ssize_t input::try_read(char *data, std::size_t size) const noexcept
{
	for (;;) {
		const ssize_t got = ::read(descriptor_, data, size);
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		// Another process that shares the pipe or terminal has made it non-blocking.
		struct pollfd ready = { descriptor_, POLLIN, 0 };
		if (errno == EAGAIN && poll(&ready, 1, -1) < 0 && errno != EINTR)
			return -1;
	}
}

std::size_t input::read(char *data, std::size_t size) const
{
	const ssize_t got = try_read(data, size);
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

void input::fail(int error, const std::string &where) const
{
	throw runtime_failure(fmt::format("{}: {}{}", name_, system_message(error), where));
}

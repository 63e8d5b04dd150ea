// SPDX-License-Identifier: BSD-2-Clause
// Shared helpers of the os.h tests.  Unlike the implementation, tests may assume that the system is Linux.
#ifndef CPRNG_TESTS_OS_SUPPORT_HPP
#define CPRNG_TESTS_OS_SUPPORT_HPP

#include "../../support/machine.hpp"
#include "os/os.h"

#include "doctest/doctest.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

// Whether the implementation has Linux's features; the other implementations report that they lack them.
constexpr bool all_of_linux = CPRNG_TEST_OS_LINUX;

// Whether it has pages that a fork zeroes, the first thread and the number of CPUs; the BSD layer has these, too.
constexpr bool linux_or_bsd = all_of_linux || CPRNG_TEST_OS_BSD || CPRNG_TEST_OS_MACOS;

// macOS: handlers of fork(3) map zeroed pages; in a child without these handlers the pages are missing.
constexpr bool lacks_pages = CPRNG_TEST_OS_MACOS;

// Whether `check` holds in a child, made by fork(3) or without the C library.  A child that does not end is killed
// after more time than any child needs, even on a busy machine.
template <typename Check> bool holds_in_child(bool raw, Check check)
{
	const pid_t pid = raw ? machine::raw_fork() : fork();

	if (pid == 0) {
		alarm(1200);
		_exit(check() ? 0 : 1);
	}
	return pid > 0 && machine::ended_well(pid);
}

// A directory that the destructor removes with its contents.
class Directory {
public:
	Directory()
	{
		char name[] = "/tmp/cprng-test-XXXXXX";

		REQUIRE(mkdtemp(name) != nullptr);
		path = name;
		number = static_cast<int>(cprng_os_open_directory(name));
		REQUIRE(number >= 0);
	}

	~Directory()
	{
		close(number);
		std::filesystem::remove_all(path);
	}

	Directory(const Directory &) = delete;
	Directory &operator=(const Directory &) = delete;

	// Creates a file with this content.
	std::string put(const std::string &name, const std::string &content) const
	{
		const int fd = open((path + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		REQUIRE(fd >= 0);
		REQUIRE(write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
		close(fd);
		return path + "/" + name;
	}

	std::string path;
	int number;
};

// A descriptor from os.h; the destructor closes it.
class Descriptor {
public:
	explicit Descriptor(long fd) : fd_(static_cast<int>(fd))
	{
		REQUIRE(fd >= 0);
	}

	~Descriptor()
	{
		cprng_os_close_file(fd_);
	}

	Descriptor(const Descriptor &) = delete;
	Descriptor &operator=(const Descriptor &) = delete;

	operator int() const
	{
		return fd_;
	}

private:
	int fd_;
};

#endif

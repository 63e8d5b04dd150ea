// SPDX-License-Identifier: BSD-2-Clause
// Shared helpers of the Windows tests: its headers, replaceable calls, a directory, another process.
#ifndef CPRNG_TESTS_WINDOWS_SUPPORT_HPP
#define CPRNG_TESTS_WINDOWS_SUPPORT_HPP

#include "doctest/doctest.h"

#include "../internals.hpp"
#define _Static_assert static_assert
extern "C" {
#include "os/windows/calls.h"

const struct cprng_windows_calls *__real_cprng_windows_calls(void);
}
#undef _Static_assert

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace windows {

// There is also a function with the structure's name.
using Functions = struct cprng_windows_calls;

// While this is not null, the library finds these functions instead of those that Windows has.
inline const Functions *instead = nullptr;

// A copy of Windows's functions that a test can change.  The library uses it until the end of the scope.
class Calls : public Functions {
public:
	Calls() : Functions(*__real_cprng_windows_calls())
	{
		instead = this;
	}

	~Calls()
	{
		instead = nullptr;
	}

	Calls(const Calls &) = delete;
	Calls &operator=(const Calls &) = delete;
};

// An empty directory, which the destructor removes, and the library's descriptor of it.
class Directory {
public:
	Directory()
	{
		path = std::filesystem::temp_directory_path() / ("cprng-" + std::to_string(cprng_fast64()));
		REQUIRE(std::filesystem::create_directory(path));
		number = static_cast<int>(cprng_os_open_directory(path.u8string().c_str()));
		REQUIRE(number > 0);
	}

	~Directory()
	{
		std::error_code ignored;

		cprng_os_close_file(number);
		std::filesystem::remove_all(path, ignored);
	}

	Directory(const Directory &) = delete;
	Directory &operator=(const Directory &) = delete;

	// Creates a private file with this content.
	std::filesystem::path put(const std::string &name, const std::string &content) const
	{
		const int fd = static_cast<int>(cprng_os_create_file(number, name.c_str()));

		REQUIRE(fd > 0);
		REQUIRE(cprng_os_write_file(fd, content.data(), content.size()) == static_cast<long>(content.size()));
		cprng_os_close_file(fd);
		return path / std::filesystem::u8path(name);
	}

	std::string content(const std::string &name) const
	{
		std::ifstream in(path / std::filesystem::u8path(name), std::ios::binary);
		return std::string(std::istreambuf_iterator<char>(in), {});
	}

	std::size_t files() const
	{
		return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
	}

	std::filesystem::path path;
	int number;
};

// A descriptor from os.h; the destructor closes it.
class Descriptor {
public:
	explicit Descriptor(long fd) : fd_(static_cast<int>(fd))
	{
		REQUIRE(fd > 0);
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

	HANDLE handle() const
	{
		return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd_));
	}

private:
	int fd_;
};

// Runs this program again with these arguments.
struct Run {
	DWORD status;
	std::string said; // written to standard error
};

inline Run run_again(const std::string &arguments)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), nullptr, TRUE };
	STARTUPINFOA begin = {};
	PROCESS_INFORMATION process = {};
	HANDLE from, to;
	char program[MAX_PATH], piece[200];
	Run run = {};

	REQUIRE(CreatePipe(&from, &to, &inherited, 0));
	REQUIRE(SetHandleInformation(from, HANDLE_FLAG_INHERIT, 0));
	REQUIRE(GetModuleFileNameA(nullptr, program, sizeof(program)) != 0);
	begin.cb = sizeof(begin);
	begin.dwFlags = STARTF_USESTDHANDLES;
	begin.hStdOutput = begin.hStdError = to;
	std::string line = "\"" + std::string(program) + "\" " + arguments;
	REQUIRE(CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &begin, &process));
	CloseHandle(to);
	for (DWORD n; ReadFile(from, piece, sizeof(piece), &n, nullptr) && n != 0;)
		run.said.append(piece, n);
	CloseHandle(from);
	REQUIRE(WaitForSingleObject(process.hProcess, INFINITE) == WAIT_OBJECT_0);
	REQUIRE(GetExitCodeProcess(process.hProcess, &run.status));
	CloseHandle(process.hThread);
	CloseHandle(process.hProcess);
	return run;
}

} // namespace windows

#endif

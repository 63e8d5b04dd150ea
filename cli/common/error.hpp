// SPDX-License-Identifier: BSD-2-Clause
// How the command fails: one line on standard error and an exit status.
#ifndef CPRNG_CLI_COMMON_ERROR_HPP
#define CPRNG_CLI_COMMON_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

// A selftest or a write failed, for example: the command line is correct.
constexpr int status_runtime = 1;
// The command line is wrong.
constexpr int status_usage = 2;

// Ends the command: main prints the message and exits with the status.
class failure : public std::runtime_error {
public:
	failure(int status, const std::string &message) : std::runtime_error(message), status_(status)
	{
	}

	int status() const noexcept
	{
		return status_;
	}

private:
	int status_;
};

class usage_error : public failure {
public:
	explicit usage_error(const std::string &message) : failure(status_usage, message)
	{
	}
};

class runtime_failure : public failure {
public:
	explicit runtime_failure(const std::string &message) : failure(status_runtime, message)
	{
	}
};

// The pipe's reader has closed it.  This is no failure: the command ends with status 0.
class closed_pipe {};

// The text in single quotes for a message, shortened if it is very long.
std::string quote(std::string_view text);

// The text with control characters as \xNN: those of ASCII, and U+0080 to U+009F, in UTF-8 or as single bytes, which begin
// terminal commands as ESC does.
std::string printable(std::string_view text);

// Throw runtime_failure "WHAT: ..." unless the library returned CPRNG_OK.  Errors that a user can cause are checked
// earlier, with better messages.
void check_library(std::string_view what, int error);

// The text of an errno value; callers save errno before any other call.
std::string system_message(int error);

// Print "cprng: MESSAGE" as one line, with control characters as \xNN.  On a terminal the name is red, unless NO_COLOR is set.
void report(std::string_view message) noexcept;

// The same without colour, for messages that report no error.
void inform(std::string_view message) noexcept;

#endif

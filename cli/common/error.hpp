// SPDX-License-Identifier: BSD-2-Clause
// How the command fails: one line on standard error and an exit status.
#ifndef CPRNG_CLI_COMMON_ERROR_HPP
#define CPRNG_CLI_COMMON_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

// A selftest that fails, a write that fails, ...: the command line was fine.
constexpr int status_runtime = 1;
// The command line must be changed.
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

// The reader of a pipe has seen enough.  Not a failure: the command ends quietly with status 0.
class closed_pipe {};

// The text in single quotes for a message, shortened if it is very long.
std::string quote(std::string_view text);

// Throw runtime_failure "WHAT: ..." unless the library returned CPRNG_OK.  What the user can do wrong is checked before, with
// better words.
void check_library(std::string_view what, int error);

// The text of an errno value, which the caller saves before anything else can change it.
std::string system_message(int error);

// Print "cprng: MESSAGE" as one line: control characters in the message come out as \xNN.  On a terminal the name is in
// red, unless the environment has NO_COLOR.
void report(std::string_view message) noexcept;

// The same without colour: nothing is wrong.
void inform(std::string_view message) noexcept;

#endif

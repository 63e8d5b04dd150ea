// SPDX-License-Identifier: BSD-2-Clause
#include "scenario.hpp"

#include "fake_os.hpp"
#include "machine.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int helper = -1; // this end of its socket

// Far more than any scenario writes; further output is discarded.
constexpr std::size_t kept = 16384;

// Prefix of the line for a skipped part.
const std::string skipped_part = "skipped part: ";

struct Report {
	int status;
	std::size_t output, errors;
};

void write_all(int fd, const void *data, std::size_t len)
{
	const char *p = static_cast<const char *>(data);

	while (len != 0) {
		const ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(3);
		p += n;
		len -= static_cast<std::size_t>(n);
	}
}

bool read_all(int fd, void *data, std::size_t len)
{
	char *p = static_cast<char *>(data);

	while (len != 0) {
		const ssize_t n = read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= static_cast<std::size_t>(n);
	}
	return true;
}

// Appends the available bytes; returns false at the end.
bool drain(int fd, std::string *text)
{
	char piece[4096];
	const ssize_t n = read(fd, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR;
	if (n > 0 && text->size() < kept)
		text->append(piece, static_cast<std::size_t>(n));
	return n > 0;
}

void run_child(scenario::Scenario::Run run, int output, int errors)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	fake_os = FakeOs();
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	// A hanging scenario must not hang the whole program.  A limit on CPU time ends a scenario that spins.  A time limit
	// that no scenario reaches, even on a busy machine, ends a scenario that sleeps.
	const struct rlimit computed = { 300, 300 };
	setrlimit(RLIMIT_CPU, &computed);
	alarm(1200);
	// Otherwise doctest's own handlers would report.
	for (int signal : { SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGTERM, SIGINT })
		std::signal(signal, SIG_DFL);
	run();
	std::fflush(stdout);
	_exit(0);
}

void serve(int socket)
{
	scenario::Scenario::Run run;

	while (read_all(socket, &run, sizeof(run))) {
		int out[2], err[2];
		if (pipe(out) != 0 || pipe(err) != 0)
			_exit(4);
		const pid_t pid = fork();
		if (pid == 0) {
			close(socket);
			run_child(run, out[1], err[1]);
		}
		close(out[1]);
		close(err[1]);

		std::string output, errors;
		struct pollfd fds[2] = { { out[0], POLLIN, 0 }, { err[0], POLLIN, 0 } };
		while (fds[0].fd >= 0 || fds[1].fd >= 0) {
			if (poll(fds, 2, -1) < 0)
				continue;
			if (fds[0].revents != 0 && !drain(out[0], &output))
				fds[0].fd = -1;
			if (fds[1].revents != 0 && !drain(err[0], &errors))
				fds[1].fd = -1;
		}
		close(out[0]);
		close(err[0]);
		const Report report = { machine::status_of(pid), output.size(), errors.size() };
		write_all(socket, &report, sizeof(report));
		write_all(socket, output.data(), output.size());
		write_all(socket, errors.data(), errors.size());
	}
}

} // namespace

scenario::Result scenario::Scenario::run() const
{
	Report report;
	Result result;

	// The helper is a fork of this process, so its functions have the same addresses.
	write_all(helper, &body, sizeof(body));
	if (!read_all(helper, &report, sizeof(report)))
		return result;
	result.status = report.status;
	result.output.resize(report.output);
	result.errors.resize(report.errors);
	if (!read_all(helper, &result.output[0], report.output) || !read_all(helper, &result.errors[0], report.errors))
		result.status = -1;
	return result;
}

bool scenario::Result::ended_well() const
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool scenario::Result::aborted() const
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

bool scenario::Result::aborted_saying(const std::string &line) const
{
	std::string said = errors;

	// qemu-user adds a line of its own.
	if (machine::emulated() && said.find("\nqemu: ") != std::string::npos)
		said.resize(said.find("\nqemu: ") + 1);
	return aborted() && said == line + "\n" && output.empty();
}

bool scenario::Result::absent() const
{
	return WIFEXITED(status) && WEXITSTATUS(status) == unavailable;
}

void scenario::check(const Scenario &scenario)
{
	const Result r = scenario.run();

	INFO(std::string(scenario.name) << ": " << r.describe());
	if (r.absent())
		SKIPPED(std::string(scenario.name) + " is unavailable here");
	else
		CHECK(r.ended_well());
	std::istringstream lines(r.output);
	std::string rest;
	for (std::string line; std::getline(lines, line);) {
		if (line.rfind(skipped_part, 0) == 0)
			SKIPPED(line.substr(skipped_part.size()));
		else
			rest += line;
	}
	if (!rest.empty())
		MESSAGE(std::string(scenario.name) << ": " << rest);
}

void scenario::check_buffered(const Scenario &scenario)
{
	SKIP_IF(!machine::buffered(), "no buffers");
	check(scenario);
}

void scenario::skip_part(const std::string &why)
{
	dprintf(STDOUT_FILENO, "\n%s%s\n", skipped_part.c_str(), why.c_str());
}

std::string scenario::Result::describe() const
{
	return machine::describe_status(status) + ", errors \"" + errors + "\", output \"" + output + "\"";
}

void scenario::start_helper()
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		std::abort();
	const pid_t pid = fork();
	if (pid < 0)
		std::abort();
	if (pid == 0) {
		close(ends[0]);
		serve(ends[1]); // until the other end is closed at the end of the tests
		_exit(0);
	}
	close(ends[1]);
	helper = ends[0];
}

void scenario::require(bool holds, const char *what)
{
	if (holds)
		return;
	dprintf(STDERR_FILENO, "does not hold: %s\n", what);
	_exit(1);
}

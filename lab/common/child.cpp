// SPDX-License-Identifier: BSD-2-Clause
#include "child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "error.hpp"
#include "load.hpp"

namespace lab {

namespace {

class pipe_ends {
public:
	pipe_ends()
	{
		if (pipe2(ends, O_CLOEXEC) != 0)
			throw failure(fmt::format("pipe: {}", std::strerror(errno)));
	}

	~pipe_ends()
	{
		for (const int end : ends)
			if (end >= 0)
				close(end);
	}

	pipe_ends(const pipe_ends &) = delete;
	pipe_ends &operator=(const pipe_ends &) = delete;

	std::FILE *open(int which, const char *mode)
	{
		std::FILE *file = fdopen(ends[which], mode);
		if (file == nullptr)
			throw failure(fmt::format("fdopen: {}", std::strerror(errno)));
		ends[which] = -1;
		return file;
	}

	int ends[2];
};

} // namespace

child::child(const std::vector<std::string> &command) : name_(command.at(0))
{
	pipe_ends in, out;
	std::vector<char *> argv;
	argv.reserve(command.size() + 1);
	for (const std::string &word : command)
		argv.push_back(const_cast<char *>(word.c_str()));
	argv.push_back(nullptr);
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in.ends[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out.ends[1], STDOUT_FILENO);
	posix_spawnattr_t attributes;
	posix_spawnattr_init(&attributes);
	// Its own process group: Ctrl-C must reach only this program, which still reads answers.
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	const int error = posix_spawn(&pid_, argv[0], &files, &attributes, argv.data(), environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (error != 0)
		throw failure(fmt::format("cannot start {}: {}", name_, std::strerror(error)));
	// Writing to a child that has ended must not raise SIGPIPE: answer() reports it.
	std::signal(SIGPIPE, SIG_IGN);
	child_begins(pid_);
	to_.reset(in.open(1, "w"));
	from_.reset(out.open(0, "r"));
}

child::~child()
{
	to_.reset();
	from_.reset();
	struct rusage used = {};
	while (wait4(pid_, nullptr, 0, &used) < 0 && errno == EINTR)
		;
	child_has_ended(pid_, used);
}

void child::ask(const std::string &line)
{
	std::fputs((line + "\n").c_str(), to_.get());
	std::fflush(to_.get());
}

std::string child::answer()
{
	char *line = nullptr;
	std::size_t room = 0;
	ssize_t length;
	do {
		errno = 0;
		std::clearerr(from_.get());
		length = getline(&line, &room, from_.get());
	} while (length < 0 && errno == EINTR);
	const std::string text(line != nullptr && length > 0 ? line : "");
	std::free(line);
	if (length <= 0)
		throw failure(fmt::format("{} has ended without an answer", name_));
	return text.substr(0, text.find('\n'));
}

std::vector<std::string> python(const std::string &script)
{
	const std::string distributions = "/usr/bin/python3";
	if (access(distributions.c_str(), X_OK) == 0)
		return { distributions, "-B", script };
	return { "/usr/bin/env", "python3", "-B", script };
}

} // namespace lab

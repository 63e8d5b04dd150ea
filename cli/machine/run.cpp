// SPDX-License-Identifier: BSD-2-Clause
// cprng run: start a program with libcprng-preload.so (docs/dropins.md).
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.hpp"
#include "machine/program.hpp"
#include "preload/report.h"
#include "shell/commands.hpp"
#include "system/system.hpp"

// The libraries' directory, absolute or relative to the command's; CMake writes it.
extern const char run_libdir[];

namespace {

struct run_arguments {
	std::vector<std::string> line;
	bool devices = false;
	bool report = false;
};

// ------------------------------------------------------------------------------------------------------- the library

// The library's path: installed relative to the command, or in the command's build directory.
std::string library(const std::string &name)
{
	const std::string own = own_path(), directory = own.substr(0, own.rfind('/') + 1);
	std::string installed = std::string(run_libdir) + "/";
	if (installed[0] != '/')
		installed.insert(0, directory);
	for (const std::string &place : { installed, directory }) {
		char path[PATH_MAX];
		if (realpath((place + name).c_str(), path) == nullptr)
			continue;
		// The dynamic linker takes a blank or a colon for the separator of two libraries.
		if (std::strpbrk(path, " :") != nullptr)
			throw runtime_failure(
				fmt::format("{}: no library can be preloaded from a path with a blank or a colon",
					    quote(path)));
		return path;
	}
	throw runtime_failure(fmt::format("{} is neither in {} nor beside the command", name, quote(installed)));
}

// -------------------------------------------------------------------------------------------------------- the report

// The counters' file, removed at the end.
class counters {
public:
	counters()
	{
		const char *directory = std::getenv("TMPDIR");
		name_ = fmt::format("{}/cprng-report-XXXXXX",
				    directory != nullptr && *directory == '/' ? directory : "/tmp");
		const int descriptor = mkostemp(&name_[0], O_CLOEXEC);
		if (descriptor < 0)
			throw runtime_failure(fmt::format("{}: {}", quote(name_), system_message(errno)));
		void *mapped = MAP_FAILED;
		// Allocate the blocks: on a full disk, a write to a hole of a mapped file raises SIGBUS.
		int error = posix_fallocate(descriptor, 0, REPORT_SIZE);
		if (error == 0) {
			mapped = mmap(nullptr, REPORT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
			error = errno;
		}
		close(descriptor);
		if (mapped == MAP_FAILED) {
			unlink(name_.c_str());
			throw runtime_failure(fmt::format("{}: {}", quote(name_), system_message(error)));
		}
		counts_ = static_cast<preload_report *>(mapped);
		counts_->layout = REPORT_LAYOUT;
	}

	~counters()
	{
		unlink(name_.c_str());
	}

	counters(const counters &) = delete;
	counters &operator=(const counters &) = delete;

	const std::string &name() const
	{
		return name_;
	}

	void print() const
	{
		static constexpr const char *names[] = { "arc4random", "arc4random_buf", "arc4random_uniform",
							 "getentropy", "getrandom",      "of these, by the kernel" };
		static_assert(sizeof(names) / sizeof(names[0]) == COUNTED, "a name for each row");
		std::string text = fmt::format("cprng run: {} program{} with the library\n", counts_->processes,
					       counts_->processes == 1 ? "" : "s");
		for (int i = 0; i < COUNTED; i++)
			if (counts_->count[i].calls != 0)
				text += fmt::format("{:>24} {:>14} {:<5} {:>18} {}\n", names[i],
						    counts_->count[i].calls,
						    counts_->count[i].calls == 1 ? "call" : "calls",
						    counts_->count[i].bytes,
						    counts_->count[i].bytes == 1 ? "byte" : "bytes");
		for (std::size_t at = 0; at < text.size();) {
			const ssize_t written = write(STDERR_FILENO, text.data() + at, text.size() - at);
			if (written <= 0)
				break;
			at += static_cast<std::size_t>(written);
		}
	}

private:
	std::string name_;
	preload_report *counts_;
};

// ----------------------------------------------------------------------------------------------------------- running

[[noreturn]] void execute(const std::string &path, const std::vector<std::string> &line)
{
	std::vector<char *> words;
	for (const std::string &word : line)
		words.push_back(const_cast<char *>(word.c_str()));
	words.push_back(nullptr);
	restore_signals();
	// The path has a slash, so execvp does not search; it hands a script without an interpreter to the shell, as env(1) does.
	execvp(path.c_str(), words.data());
	refuse_program(path, system_message(errno));
}

// 0 after the program has ended, because another process may then have its PID.
volatile pid_t child;

// Signals that other processes may send, except SIGTSTP, which stops this process as well.
sigset_t passed_signals()
{
	sigset_t passed;
	sigemptyset(&passed);
	for (int signal : { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCONT, SIGWINCH })
		sigaddset(&passed, signal);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(&passed, signal);
	return passed;
}

extern "C" void pass_on(int signal, siginfo_t *info, void *)
{
	const int saved = errno;
	// The terminal sends its signals (SI_KERNEL) to the program as well.
	if (child != 0 && info->si_code == SI_QUEUE)
		sigqueue(child, signal, info->si_value);
	else if (child != 0 && info->si_code != SI_KERNEL)
		kill(child, signal);
	errno = saved;
}

// Returns the program's exit status, or the status a shell reports for a fatal signal.
int run_and_wait(const std::string &path, const std::vector<std::string> &line)
{
	const sigset_t passed = passed_signals();
	sigset_t before;
	sigprocmask(SIG_BLOCK, &passed, &before);
	child = fork();
	if (child < 0)
		throw runtime_failure(system_message(errno));
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, nullptr);
		try {
			execute(path, line);
		} catch (const failure &error) {
			report(error.what());
			_exit(error.status());
		}
	}
	struct sigaction pass = {};
	pass.sa_sigaction = pass_on;
	pass.sa_flags = SA_SIGINFO;
	sigfillset(&pass.sa_mask);
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (sigismember(&passed, signal) == 1)
			sigaction(signal, &pass, nullptr);
	sigprocmask(SIG_UNBLOCK, &passed, nullptr);
	siginfo_t ended;
	while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			throw runtime_failure(system_message(errno));
	sigprocmask(SIG_BLOCK, &passed, nullptr);
	int status;
	const pid_t gone = waitpid(child, &status, 0);
	child = 0;
	sigprocmask(SIG_SETMASK, &before, nullptr);
	if (gone < 0)
		throw runtime_failure(system_message(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_run(const run_arguments &arguments)
{
	if (arguments.line.empty())
		throw usage_error("the command to run is missing (see cprng run --help)");
	const std::string path = find_program(arguments.line[0]);
	check_program(path);
	const char *others = std::getenv("LD_PRELOAD");
	std::string preload = others != nullptr && *others != '\0' ? std::string(others) + ":" : "";
	preload += library("libcprng-preload.so");
	if (arguments.devices)
		preload += ":" + library("libcprng-preload-devices.so");
	setenv("LD_PRELOAD", preload.c_str(), 1);
	if (!arguments.report)
		execute(path, arguments.line);
	const counters counts;
	// '-': processes that outlive this one may start programs after the file is removed.
	setenv("CPRNG_PRELOAD_REPORT", ("-" + counts.name()).c_str(), 1);
	const int status = run_and_wait(path, arguments.line);
	counts.print();
	return status;
}

} // namespace

void add_run(command_line &line)
{
	auto arguments = std::make_shared<run_arguments>();
	command &command = line.add("Machine", "run", "run a program with random numbers from the library",
				    [arguments] { return run_run(*arguments); });
	command.program("COMMAND", arguments->line, "the program; all later words are its arguments");
	command.flag("--devices", arguments->devices, "serve its reads of /dev/urandom and /dev/random, too");
	command.flag("--report", arguments->report, "print calls and bytes on standard error at the end");
	command.note(
		"By LD_PRELOAD the library serves getrandom, getentropy and arc4random of the program and its children.\n"
		"Static, setuid and 32-bit programs are refused.");
	command.example("cprng run python3 -c 'import secrets; print(secrets.token_hex())'", "");
	command.example("cprng run --report --devices head -c 1G /dev/urandom >FILE", "");
}

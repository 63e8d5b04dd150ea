// SPDX-License-Identifier: BSD-2-Clause
// cprng run: a program with libcprng-preload.so in it (docs/dropins/preload.md).
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "commands.hpp"
#include "common/error.hpp"
#include "output/output.hpp"
#include "preload/report.h"

namespace {

// As of env(1) and nohup(1).
constexpr int status_cannot_run = 126;
constexpr int status_not_found = 127;

struct run_arguments {
	std::vector<std::string> line;
	bool devices = false;
	bool report = false;
};

[[noreturn]] void refuse(const std::string &path, const std::string &why)
{
	throw failure(status_cannot_run, fmt::format("{}: {}", quote(path), why));
}

// ------------------------------------------------------------------------------------------------------- the library

std::string own_path()
{
	char path[PATH_MAX];
	const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	if (size <= 0 || size == static_cast<ssize_t>(sizeof(path)))
		throw runtime_failure(fmt::format("/proc/self/exe: {}", system_message(errno)));
	return std::string(path, static_cast<std::size_t>(size));
}

// Where it was installed relative to the command, or beside the command in a build directory.
std::string library(const std::string &name)
{
	const std::string own = own_path(), directory = own.substr(0, own.rfind('/') + 1);
	std::string installed = CPRNG_RUN_LIBDIR "/";
	if (installed[0] != '/')
		installed.insert(0, directory);
	for (const std::string &place : { installed, directory }) {
		char path[PATH_MAX];
		if (realpath((place + name).c_str(), path) == nullptr)
			continue;
		// The dynamic linker would take what is before and behind for two libraries.
		if (std::strpbrk(path, " :") != nullptr)
			throw runtime_failure(
				fmt::format("{}: no library can be preloaded from a path with a blank or a colon",
					    quote(path)));
		return path;
	}
	throw runtime_failure(fmt::format("{} is neither in {} nor beside the command", name, quote(installed)));
}

// ------------------------------------------------------------------------------------------------------- the program

// The file that execvp(3) would start.
std::string found(const std::string &name)
{
	if (name.find('/') != std::string::npos) {
		if (access(name.c_str(), F_OK) != 0)
			throw failure(status_not_found, fmt::format("{}: {}", quote(name), system_message(errno)));
		return name;
	}
	const char *path = std::getenv("PATH");
	std::string places = path != nullptr ? path : "/bin:/usr/bin";
	for (std::size_t at = 0; at <= places.size();) {
		const std::size_t end = std::min(places.find(':', at), places.size());
		const std::string place = places.substr(at, end - at);
		const std::string candidate = (place.empty() ? "." : place) + "/" + name;
		struct stat status;
		if (access(candidate.c_str(), X_OK) == 0 && stat(candidate.c_str(), &status) == 0 &&
		    S_ISREG(status.st_mode))
			return candidate;
		at = end + 1;
	}
	throw failure(status_not_found, fmt::format("{}: there is no such command in PATH", quote(name)));
}

// For a program that gains rights, the dynamic linker leaves the library out without a word.
void check_rights(const std::string &path)
{
	struct stat status;
	if (stat(path.c_str(), &status) != 0)
		refuse(path, system_message(errno));
	const bool sets_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
	const bool sets_group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
				status.st_gid != getgid();
	if (sets_user || sets_group)
		refuse(path, "is setuid or setgid: nothing can be preloaded into it");
	if (getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
		refuse(path, "has file capabilities: nothing can be preloaded into it");
}

// The name of the dynamic linker; empty in a static program.  The file is an ELF file of 64 bits in the byte order of this
// machine.
std::string dynamic_linker(std::istream &file, const Elf64_Ehdr &head)
{
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr segment;
		file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof(segment)));
		if (!file.read(reinterpret_cast<char *>(&segment), sizeof(segment)))
			break;
		if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > PATH_MAX)
			continue;
		std::string name(segment.p_filesz - 1, '\0');
		file.seekg(static_cast<std::streamoff>(segment.p_offset));
		file.read(&name[0], static_cast<std::streamsize>(name.size()));
		return name;
	}
	return "";
}

Elf64_Ehdr head_of(std::istream &file)
{
	Elf64_Ehdr head{};
	file.read(reinterpret_cast<char *>(&head), sizeof(head));
	file.clear();
	return head;
}

void check_program(const std::string &path, int depth = 0);

// "#!/usr/bin/python3 -E": the interpreter is the program.
void check_script(const std::string &path, std::istream &file, int depth)
{
	std::string line;
	file.seekg(2);
	std::getline(file, line);
	const std::size_t begin = line.find_first_not_of(" \t");
	if (begin == std::string::npos || depth == 4)
		return;
	const std::string name = line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
	if (access(name.c_str(), F_OK) != 0)
		refuse(path, fmt::format("its interpreter {}: {}", quote(name), system_message(errno)));
	check_program(name, depth + 1);
}

// Refuse, with a reason, what the dynamic linker would start without the library.
void check_program(const std::string &path, int depth)
{
	check_rights(path);
	std::ifstream file(path, std::ios::binary), own(own_path(), std::ios::binary);
	// A program may be executable and not readable: then it goes without these checks.
	if (!file)
		return;
	const Elf64_Ehdr head = head_of(file), own_head = head_of(own);
	if (std::memcmp(head.e_ident, "#!", 2) == 0) {
		check_script(path, file, depth);
		return;
	}
	if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return; // the kernel's matter
	if (head.e_ident[EI_CLASS] != own_head.e_ident[EI_CLASS] ||
	    head.e_ident[EI_DATA] != own_head.e_ident[EI_DATA] || head.e_machine != own_head.e_machine)
		refuse(path, "is for another architecture than the library");
	const std::string linker = dynamic_linker(file, head), own_linker = dynamic_linker(own, own_head);
	if (linker.empty())
		refuse(path, "is a static program: nothing can be preloaded into it");
	const auto last = [](const std::string &name) { return name.substr(name.rfind('/') + 1); };
	if (!own_linker.empty() && last(linker) != last(own_linker))
		refuse(path, fmt::format("is for another C library than the library ({}, not {})", last(linker),
					 last(own_linker)));
}

// -------------------------------------------------------------------------------------------------------- the report

// The file of the counters, which is removed in the end.
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
		// With its blocks: on a full disk, a write to a hole of a mapped file is SIGBUS.
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
				text += fmt::format("{:>24} {:>14} calls {:>18} bytes\n", names[i],
						    counts_->count[i].calls, counts_->count[i].bytes);
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
	// With a slash in the path it seeks nothing; a script without an interpreter is the shell's, as in env(1).
	execvp(path.c_str(), words.data());
	refuse(path, system_message(errno));
}

volatile pid_t child;

extern "C" void pass_on(int signal)
{
	kill(child, signal);
}

// The exit status of the program; that of a shell if a signal has ended it.
int run_and_wait(const std::string &path, const std::vector<std::string> &line)
{
	// From the terminal they go to the program as well, which decides.
	struct sigaction ignore = {}, interrupt, quit, pass = {};
	ignore.sa_handler = SIG_IGN;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	sigset_t passed, before;
	sigemptyset(&passed);
	sigaddset(&passed, SIGTERM);
	sigaddset(&passed, SIGHUP);
	sigprocmask(SIG_BLOCK, &passed, &before);
	child = fork();
	if (child < 0)
		throw runtime_failure(system_message(errno));
	if (child == 0) {
		sigaction(SIGINT, &interrupt, nullptr);
		sigaction(SIGQUIT, &quit, nullptr);
		sigprocmask(SIG_SETMASK, &before, nullptr);
		try {
			execute(path, line);
		} catch (const failure &error) {
			report(error.what());
			_exit(error.status());
		}
	}
	pass.sa_handler = pass_on;
	sigaction(SIGTERM, &pass, nullptr);
	sigaction(SIGHUP, &pass, nullptr);
	sigprocmask(SIG_SETMASK, &before, nullptr);
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			throw runtime_failure(system_message(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_run(const run_arguments &arguments)
{
	if (arguments.line.empty())
		throw usage_error("the command to run is missing (see cprng run --help)");
	const std::string path = found(arguments.line[0]);
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
	setenv("CPRNG_PRELOAD_REPORT", counts.name().c_str(), 1);
	const int status = run_and_wait(path, arguments.line);
	counts.print();
	return status;
}

} // namespace

void add_run(command_line &line)
{
	auto arguments = std::make_shared<run_arguments>();
	command &command = line.add("Machine", "run", "a program whose random numbers come from the library",
				    [arguments] { return run_run(*arguments); });
	command.positional("COMMAND", arguments->line, "the program and its arguments, behind --");
	command.flag("--devices", arguments->devices, "its reads of /dev/urandom and /dev/random, too");
	command.flag("--report", arguments->report, "calls and bytes on standard error, in the end");
	command.note(
		"getrandom, getentropy and arc4random of the program and its children are served by LD_PRELOAD.  Static,\n"
		"setuid and 32-bit programs are refused.");
	command.example("cprng run -- python3 -c 'import secrets; print(secrets.token_hex())'", "");
	command.example("cprng run --report --devices -- head -c 1G /dev/urandom >FILE", "");
}

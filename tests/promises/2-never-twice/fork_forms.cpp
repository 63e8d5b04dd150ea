// SPDX-License-Identifier: BSD-2-Clause
// Less simple forks: reused PIDs, and spawned programs.
#include "../../support/run.hpp"
#include "../../support/program.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace {

const char spawned[] = "--spawned"; // of this program, when it is started to draw and to write what it drew

// One process's draws, from every generator.
struct Drawn {
	pid_t pid;
	bool object_refused;
	unsigned char fast[1024], many[4096], strong[256];
};

// An object is empty in a child until it is seeded there; without wiped pages there are no objects.
void draw(Drawn *d, cprng_fortuna *object)
{
	unsigned char bytes[32];

	d->pid = getpid();
	for (std::size_t i = 0; i < sizeof(d->fast); i += 64) {
		const std::uint64_t v = cprng_fast64();
		std::memcpy(d->fast + i, &v, sizeof(v));
		cprng_fast(d->fast + i + 8, 56);
	}
	cprng_fast(d->many, sizeof(d->many));
	cprng_strong(d->strong, sizeof(d->strong));
	d->object_refused = object == nullptr || cprng_fortuna_read(object, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED;
}

// Counts the windows of a process that occurred before, or are zero.
std::size_t spoiled(Windows *windows, const Drawn &d)
{
	std::size_t bad = 0;

	bad += has_zero_window(d.fast, sizeof(d.fast)) + windows->add(d.fast, sizeof(d.fast));
	bad += has_zero_window(d.many, sizeof(d.many)) + windows->add(d.many, sizeof(d.many));
	bad += has_zero_window(d.strong, sizeof(d.strong)) + windows->add(d.strong, sizeof(d.strong));
	return bad;
}

// -------------------------------------------------------------------------------------------------------- PIDs again

// The smallest pid_max that Linux accepts: PIDs 1 to 301 at first, and only 300 and 301 from then on.
constexpr int pid_max = 302;
constexpr std::size_t generations = 440, children_kept = 120;

struct Wrap {
	int error; // of what the system did not allow
	std::size_t made, failed;
	Drawn drawn[children_kept + 1];
};

bool write_file(const char *path, const std::string &text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
	close(fd);
	return written;
}

int read_pid_max()
{
	std::ifstream file("/proc/sys/kernel/pid_max");
	int n = -1;

	file >> n;
	return n;
}

// Before that, pid_max is the whole machine's and must not be changed.
bool kernel_has_pid_max_of_namespaces()
{
	struct utsname name;
	int major = 0, minor = 0;

	return uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 14));
}

// In process 1 of the namespace: children, one after the other.
void make_generations(Wrap *w, cprng_fortuna *object)
{
	draw(&w->drawn[children_kept], object);
	for (std::size_t i = 0; i < generations; i++) {
		// The last children, which share two PIDs.
		const bool kept = i >= generations - children_kept;
		const pid_t pid = fork_calls::all[i % 2].make();
		if (pid == 0) {
			if (kept)
				draw(&w->drawn[i - (generations - children_kept)], object);
			_exit(0);
		}
		w->made += pid > 0;
		w->failed += pid < 0 || machine::status_of(pid) != 0;
	}
}

// One process's 440 children, of which the last 120 have one of two PIDs.
void run_out_of_pids(Wrap *w, cprng_fortuna *object)
{
	const unsigned int user = getuid(), group = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
		w->error = errno;
		return;
	}
	(void)write_file("/proc/self/setgroups", "deny");
	(void)write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
	(void)write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
	const pid_t first = fork();
	if (first == 0) {
		if (write_file("/proc/sys/kernel/pid_max", std::to_string(pid_max)))
			make_generations(w, object);
		else
			w->error = errno;
		_exit(0);
	}
	w->failed += machine::status_of(first) != 0;
}

} // namespace

// 121 * 5400 windows: (6.5 * 10^5)^2 / 2^65 = 1.2 * 10^-8.
// Catches a fork that is noticed by the PID alone.
TEST_CASE("fork: PIDs that come again and again")
{
	SKIP_IF(machine::emulated(), "no namespaces");
	SKIP_IF(!kernel_has_pid_max_of_namespaces(), "pid_max is the whole machine's before Linux 6.14");
	Wrap *w = static_cast<Wrap *>(machine::shared_memory(sizeof(Wrap)));
	const int outside = read_pid_max();
	const unsigned char seed[64] = { 1 };
	cprng_fortuna *object = nullptr;

	if (machine::buffered()) {
		REQUIRE(cprng_fortuna_new(&object, nullptr, 0) == 0);
		REQUIRE(cprng_fortuna_seed(object, seed, sizeof(seed)) == 0);
	}
	(void)cprng_fast64();
	const pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		run_out_of_pids(w, object);
		_exit(0);
	}
	CHECK(machine::ended_well(pid));
	cprng_fortuna_free(object);
	CHECK(read_pid_max() == outside);
	if (w->error != 0) {
		SKIPPED("no PID namespace with a limit of its own: " + std::string(std::strerror(w->error)));
		munmap(w, sizeof(Wrap));
		return;
	}
	CHECK(w->made == generations);
	CHECK(w->failed == 0);
	std::set<pid_t> pids;
	Windows windows(sizeof(w->drawn));
	for (const Drawn &d : w->drawn) {
		REQUIRE(d.pid > 0);
		pids.insert(d.pid);
		CHECK(spoiled(&windows, d) == 0);
		// The namespace's first process is also a child of the process that seeded the object.
		CHECK(d.object_refused);
	}
	// Number 1, and two numbers for all its children.
	CHECK(pids.size() <= 3);
	munmap(w, sizeof(Wrap));
}

// ------------------------------------------------------------------------------------------------------------- spawned

namespace {

int draw_instead(int argc, char **argv)
{
	Drawn d = {};

	if (argc != 2 || std::strcmp(argv[1], spawned) != 0)
		return -1;
	draw(&d, nullptr);
	return write(STDOUT_FILENO, &d, sizeof(d)) == static_cast<ssize_t>(sizeof(d)) ? 0 : 1;
}

const bool added = program::add({ draw_instead, nullptr, nullptr, nullptr });

// The program's output, through file actions, which the child performs in shared memory before its exec.
Drawn spawn(const posix_spawnattr_t *attributes, bool by_path)
{
	Drawn d = {};
	int ends[2];
	pid_t pid = -1;

	REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	std::string program = "/proc/self/exe", option = spawned;
	char *argv[] = { &program[0], &option[0], nullptr };
	// The second has no slash, so it is searched in PATH.
	if (by_path) {
		std::string shell = "sh", flag = "-c", line = "exec \"$0\" " + option;
		std::string self(4096, '\0');
		const ssize_t n = readlink("/proc/self/exe", &self[0], self.size() - 1);
		REQUIRE(n > 0);
		self.resize(static_cast<std::size_t>(n));
		char *shell_argv[] = { &shell[0], &flag[0], &line[0], &self[0], nullptr };
		REQUIRE(posix_spawnp(&pid, "sh", &actions, attributes, shell_argv, environ) == 0);
	} else {
		REQUIRE(posix_spawn(&pid, "/proc/self/exe", &actions, attributes, argv, environ) == 0);
	}
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	char *to = reinterpret_cast<char *>(&d);
	std::size_t got = 0;
	for (ssize_t n; got < sizeof(d) && (n = read(ends[0], to + got, sizeof(d) - got)) > 0;)
		got += static_cast<std::size_t>(n);
	close(ends[0]);
	CHECK(machine::ended_well(pid));
	REQUIRE(got == sizeof(d));
	return d;
}

} // namespace

// At most 61 * 5400 windows: 3 * 10^-9.
// Catches output shared with a spawned program, or a parent that its start disturbs.
TEST_CASE("fork: posix_spawn, the program against its parent")
{
	SKIP_IF(machine::emulated(), "an emulated program cannot start itself");
	Windows windows(61 * sizeof(Drawn));
	posix_spawnattr_t attributes;

	posix_spawnattr_init(&attributes);
	// All signals as at the start, whatever a test has set.
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	for (int i = 0; i < (machine::slow() ? 2 : run::volume(5, 20)); i++) {
		Drawn here;
		draw(&here, nullptr);
		CHECK(spoiled(&windows, here) == 0);
		CHECK(spoiled(&windows, spawn(nullptr, false)) == 0);
		CHECK(spoiled(&windows, spawn(&attributes, i % 2 != 0)) == 0);
	}
	Drawn here;
	draw(&here, nullptr);
	CHECK(spoiled(&windows, here) == 0);
	posix_spawnattr_destroy(&attributes);
	// A failed exec has disturbed nothing either.
	std::string nothing = "/nonexistent";
	char *argv[] = { &nothing[0], nullptr };
	pid_t pid;
	CHECK(posix_spawn(&pid, nothing.c_str(), nullptr, nullptr, argv, environ) == ENOENT);
	CHECK(cprng_fast64() != cprng_fast64());
}

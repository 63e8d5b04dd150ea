// SPDX-License-Identifier: BSD-2-Clause
// Restricted environments: no /dev, no /proc or a read-only one, and resource limits.
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// Makes every kind of draw, also in a child.
void draw_everything()
{
	static unsigned char bytes[70000];
	Windows windows(200000);
	cprng_strong_info info;
	const auto look = [&windows](const void *p, std::size_t len) {
		// False alarms: (10^5)^2 / 2^65.
		REQUIRE_IN_CHILD(!has_zero_window(p, len) && windows.add(p, len) == 0);
	};

	for (int i = 0; i < 100; i++) {
		const std::uint64_t v = cprng_fast64();
		look(&v, sizeof(v));
	}
	for (std::size_t len : { 16, 512, 513, 4096, 70000 }) {
		cprng_fast(bytes, len);
		look(bytes, len);
	}
	cprng_strong(bytes, 1000);
	look(bytes, 1000);
	REQUIRE_IN_CHILD(cprng_reseed() == 0);
	REQUIRE_IN_CHILD(cprng_add_entropy(1, bytes, 8, 1) == 0);
	cprng_get_strong_info(&info, sizeof(info));
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		const std::uint64_t v = cprng_fast64();
		look(&v, sizeof(v));
		_exit(0);
	}
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
}

void leave_unless(bool permitted)
{
	if (!permitted)
		_exit(scenario::unavailable);
}

// A directory that stays empty because it has been removed.
const scenario::Scenario nowhere("place: empty", [] {
	char directory[] = "/tmp/cprng-empty-XXXXXX";

	REQUIRE_IN_CHILD(mkdtemp(directory) != nullptr && chdir(directory) == 0 && rmdir(directory) == 0);
	leave_unless(geteuid() == 0 || unshare(CLONE_NEWUSER) == 0);
	leave_unless(chroot(".") == 0);
	REQUIRE_IN_CHILD(access("/dev", F_OK) != 0 && access("/proc", F_OK) != 0 && access("/tmp", F_OK) != 0);
	draw_everything();
	REQUIRE_IN_CHILD(cprng_seed_file("/seed") == CPRNG_ERR_SYSTEM);
});

// In a new mount namespace, so that no other process sees the mounts.
const scenario::Scenario read_only_proc("place: read-only /proc", [] {
	leave_unless(unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) == 0);
	leave_unless(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
	leave_unless(mount("/proc", "/proc", nullptr, MS_BIND | MS_REC, nullptr) == 0);
	leave_unless(mount(nullptr, "/proc", nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0);
	REQUIRE_IN_CHILD(open("/proc/self/comm", O_WRONLY) < 0 && errno == EROFS);
	draw_everything();
});

const scenario::Scenario no_locked_memory("limit: RLIMIT_MEMLOCK 0", [] {
	const struct rlimit none = { 0, 0 };
	cprng_info info;

	REQUIRE_IN_CHILD(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
	// The limit does not apply to root.
	if (geteuid() == 0)
		leave_unless(setresuid(65534, 65534, 65534) == 0);
	draw_everything();
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.memory_lock, machine::buffered() ? "refused" : "none") == 0);
});

const scenario::Scenario no_descriptors("limit: RLIMIT_NOFILE 0", [] {
	const struct rlimit none = { 0, 0 };

	REQUIRE_IN_CHILD(setrlimit(RLIMIT_NOFILE, &none) == 0);
	REQUIRE_IN_CHILD(open("/dev/null", O_RDONLY) < 0 && errno == EMFILE);
	draw_everything();
	REQUIRE_IN_CHILD(cprng_seed_file("/tmp/cprng-never-made") == CPRNG_ERR_SYSTEM);
});

unsigned long address_space_in_use()
{
	std::ifstream statm("/proc/self/statm");
	unsigned long pages = 0;

	statm >> pages;
	return pages * static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
}

// Grow the stack by this much before setting the limit, which also applies to the stack.
[[gnu::noinline]] void grow_stack()
{
	volatile unsigned char pages[256 * 1024];

	for (std::size_t i = 0; i < sizeof(pages); i += 4096)
		pages[i] = 1;
}

// Draws in a child limited to `room` bytes more than are in use; returns its output and status.  Without room the limit is
// far below the bytes in use, since memory that the C library has just freed would count as room.
std::string draw_within(unsigned long used, unsigned long room, int *status)
{
	int ends[2];
	char line[256];

	REQUIRE_IN_CHILD(pipe(ends) == 0);
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		const rlim_t bytes_in_all = room == 0 ? 0 : used + room;
		const struct rlimit limit = { bytes_in_all, bytes_in_all };
		unsigned char bytes[3000];
		cprng_info info;
		cprng_fortuna *fortuna = nullptr;
		dup2(ends[1], STDERR_FILENO);
		grow_stack();
		if (setrlimit(RLIMIT_AS, &limit) != 0)
			_exit(2);
		cprng_fast(bytes, sizeof(bytes));
		if (has_zero_window(bytes, sizeof(bytes)) || cprng_fast64() == cprng_fast64())
			_exit(3);
		cprng_strong(bytes, sizeof(bytes));
		if (has_zero_window(bytes, sizeof(bytes)))
			_exit(4);
		const int made = cprng_fortuna_new(&fortuna, nullptr, 0);
		if (made != 0 && made != CPRNG_ERR_MEMORY && made != CPRNG_ERR_UNSUPPORTED)
			_exit(5);
		cprng_get_info(&info, sizeof(info));
		dprintf(STDERR_FILENO, "%s", info.placement);
		_exit(0);
	}
	close(ends[1]);
	const ssize_t n = read(ends[0], line, sizeof(line));
	close(ends[0]);
	*status = machine::status_of(pid);
	return n > 0 ? std::string(line, static_cast<std::size_t>(n)) : "";
}

const scenario::Scenario address_space("limit: RLIMIT_AS", [] {
	const unsigned long used = address_space_in_use(), page = static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
	unsigned int without = 0, unbuffered = 0, buffered = 0;

	for (unsigned long room = 0; room <= 1UL << 28; room = room == 0 ? page : room * 2) {
		int status = -1;
		const std::string said = draw_within(used, room, &status);
		dprintf(STDOUT_FILENO, "%lu KiB: %s\n", room / 1024, said.c_str());
		if (WIFSIGNALED(status)) {
			REQUIRE_IN_CHILD(WTERMSIG(status) == SIGABRT && said == "cprng: no memory\n");
			without++;
			continue;
		}
		REQUIRE_IN_CHILD(status == 0);
		(said == "unbuffered" ? unbuffered : buffered)++;
	}
	// Every outcome occurs as the limit increases.
	REQUIRE_IN_CHILD(without > 0 && unbuffered > 0);
	REQUIRE_IN_CHILD(buffered > 0 || !machine::buffered());
});

} // namespace

// Catches a library that needs files.
TEST_CASE("sandbox: without /dev and /proc, and with a /proc that cannot be written")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(), "sanitizers and emulators need files of their own");
	scenario::check(nowhere);
	scenario::check(read_only_proc);
}

// Catches a library that needs locked memory or a file descriptor in order to draw.
TEST_CASE("sandbox: no memory to lock, no descriptors")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(),
		"the limits hit the sanitizer, or the emulator ignores them");
	scenario::check(no_locked_memory);
	scenario::check(no_descriptors);
}

// Catches a crash where memory is short.
TEST_CASE("sandbox: an address space of every size gives a generator, or a line that says why not")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(),
		"the limit hits the sanitizer, or the emulator ignores it");
	scenario::check(address_space);
}

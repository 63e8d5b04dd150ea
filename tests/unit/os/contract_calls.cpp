// SPDX-License-Identifier: BSD-2-Clause
// The contract of os.h: signals, and rules for every function.
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace {

const std::vector<int> synchronous = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };

bool is_synchronous(int signal)
{
	for (int s : synchronous) {
		if (s == signal)
			return true;
	}
	return false;
}

// The signals that a program can block, without the first real-time signals, which the C library uses, and a few that an
// emulator uses.
std::vector<int> signals()
{
	std::vector<int> v;

	for (int s = 1; s <= 31; s++) {
		if (s != SIGKILL && s != SIGSTOP)
			v.push_back(s);
	}
#ifdef SIGRTMIN // OpenBSD and macOS have no real-time signals
	for (int s = SIGRTMIN; !machine::emulated() && s <= SIGRTMAX; s++)
		v.push_back(s);
#endif
	return v;
}

std::vector<int> blocked()
{
	std::vector<int> v;
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, nullptr, &set);
	for (int s : signals()) {
		if (sigismember(&set, s) == 1)
			v.push_back(s);
	}
	return v;
}

std::vector<int> asynchronous()
{
	std::vector<int> v;

	for (int s : signals()) {
		if (!is_synchronous(s))
			v.push_back(s);
	}
	return v;
}

void set_blocked(const std::vector<int> &list)
{
	sigset_t set;

	sigemptyset(&set);
	for (int s : list)
		sigaddset(&set, s);
	pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

} // namespace

// Catches a signal that is not blocked, a synchronous signal that is blocked, and a mask that is not restored.
TEST_CASE("os: all signals but the synchronous ones are blocked, and what was before is restored")
{
	// No signal, one, one that an instruction raises, all, the first and the last real-time signal.
	std::vector<std::vector<int>> before = { {}, { SIGUSR1 }, { SIGSEGV, SIGTERM }, signals() };
#ifdef SIGRTMIN
	if (!machine::emulated())
		before.push_back({ SIGRTMIN, SIGRTMAX });
#endif

	for (const std::vector<int> &set : before) {
		cprng_os_signals saved, inner;
		set_blocked(set);
		cprng_os_block_signals(&saved);
		std::vector<int> expected = asynchronous();
		for (int s : synchronous) {
			// The program's own mask must remain.
			if (std::find(set.begin(), set.end(), s) != set.end())
				expected.push_back(s);
		}
		std::sort(expected.begin(), expected.end());
		CHECK(blocked() == expected);
		cprng_os_block_signals(&inner);
		CHECK(blocked() == expected);
		cprng_os_restore_signals(&inner);
		CHECK(blocked() == expected);
		cprng_os_restore_signals(&saved);
		CHECK(blocked() == set);
	}
	set_blocked({});
}

#ifdef __linux__ // filters
// Catches a restored mask that is stack garbage or empty instead of the program's.
TEST_CASE("os: signals that the system refuses to block stay as they are")
{
	SKIP_IF(machine::emulated(), "no filters for system calls");
	const pid_t pid = fork();
	if (pid == 0) {
		cprng_os_signals saved;
		std::memset(&saved, 0, sizeof(saved));
		set_blocked({ SIGUSR1 });
		filters::refuse_first(SYS_rt_sigprocmask, SIG_BLOCK, EPERM);
		cprng_os_block_signals(&saved);
		const std::vector<int> during = blocked();
		cprng_os_restore_signals(&saved);
		_exit(during == std::vector<int>{ SIGUSR1 } && blocked() == during ? 0 : 1);
	}
	REQUIRE(pid > 0);
	const int status = machine::status_of(pid);
	REQUIRE(WIFEXITED(status));
	SKIP_IF(WEXITSTATUS(status) == scenario::unavailable, "no seccomp filters here");
	CHECK(WEXITSTATUS(status) == 0);
}
#endif

namespace {

struct Cancelled {
	std::atomic<bool> ready{ false }, requested{ false }, went_on{ false }, survived{ false };
	bool sent_before;
};

#ifdef __GLIBC__
// The signal that glibc uses for cancellation; the C library's own function cannot block it.
void mask_cancellation(int how)
{
	const std::uint64_t set = std::uint64_t{ 1 } << (__SIGRTMIN - 1);

	syscall(SYS_rt_sigprocmask, how, &set, nullptr, sizeof(set));
}
#else
void mask_cancellation(int)
{
}
#endif

void *block_and_restore(void *argument)
{
	Cancelled &c = *static_cast<Cancelled *>(argument);
	struct cprng_os_signals saved;
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	if (c.sent_before)
		mask_cancellation(SIG_BLOCK); // cancellation is requested while enabled, and its signal arrives later
	else
		cprng_os_block_signals(&saved);
	c.ready = true;
	while (!c.requested)
		continue;
	if (c.sent_before)
		cprng_os_block_signals(&saved);
	if (c.sent_before && !CPRNG_TEST_OS_LINUX)
		mask_cancellation(SIG_UNBLOCK); // the POSIX layers disable cancellation instead
	c.went_on = true;
	cprng_os_restore_signals(&saved);
	if (c.sent_before && CPRNG_TEST_OS_LINUX)
		mask_cancellation(SIG_UNBLOCK);
	pthread_testcancel();
	c.survived = true;
	return nullptr;
}

} // namespace

// Catches a thread that is cancelled while it may hold a lock, so that no thread could take it again, and a lost request.
TEST_CASE("os: a thread that has blocked signals is cancelled afterwards, also asynchronously")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "cancellation unwinds frames that sanitizers keep track of");
	for (const bool sent_before : { false, true }) {
		Cancelled c;
		pthread_t thread;

		// An emulator keeps that signal for itself, and other C libraries have no such signal.
#ifndef __GLIBC__
		if (sent_before)
			break;
#endif
		if (sent_before && machine::emulated())
			break;
		CAPTURE(sent_before);
		c.sent_before = sent_before;
		REQUIRE(pthread_create(&thread, nullptr, block_and_restore, &c) == 0);
		while (!c.ready)
			continue;
		REQUIRE(pthread_cancel(thread) == 0);
		c.requested = true;
		// Do not check the thread's result: glibc 2.36 loses it.
		REQUIRE(pthread_join(thread, nullptr) == 0);
		CHECK(c.went_on);
		CHECK_FALSE(c.survived);
	}
}

// Catches a signal that is delivered too early, or lost.
TEST_CASE("os: a signal that comes while it is blocked is delivered afterwards")
{
	static volatile sig_atomic_t delivered;
	struct sigaction old = {}, handler = {};
	cprng_os_signals saved;

	handler.sa_handler = [](int) { delivered = 1; };
	REQUIRE(sigaction(SIGUSR1, &handler, &old) == 0);
	delivered = 0;
	cprng_os_block_signals(&saved);
	raise(SIGUSR1);
	CHECK(delivered == 0);
	cprng_os_restore_signals(&saved);
	CHECK(delivered == 1);
	sigaction(SIGUSR1, &old, nullptr);
}

namespace {

// Calls every function of os.h except cprng_os_die(), once with success and, where possible, once with failure.
std::vector<std::pair<std::string, std::function<void()>>> every_call(const Directory &directory)
{
	static std::uint8_t buf[512];
	static std::uint64_t milliseconds;
	static std::uint32_t word;
	static cprng_os_vdso e;
	static cprng_os_signals saved;
	static cprng_os_file file;
	static void *p;
	const int dir = directory.number;
	const std::size_t page = cprng_os_page_size();
	// The calls hand the descriptor on; -1 makes them fail.
	static int fd;

	fd = -1;
	word = 0;
	std::vector<std::pair<std::string, std::function<void()>>> calls = {
		{ "page_size", [] { (void)cprng_os_page_size(); } },
		{ "map", [=] { p = cprng_os_map(page); } },
		{ "wipe_on_fork", [=] { (void)!cprng_os_wipe_on_fork(p, page); } },
		{ "use_small_pages", [=] { cprng_os_use_small_pages(p, page); } },
		{ "lock_memory", [=] { cprng_os_lock_memory(p, page); } },
		{ "unmap", [=] { cprng_os_unmap(p, page); } },
		{ "lock_memory, none", [=] { cprng_os_lock_memory(p, page); } },
		{ "wipe_on_fork, none", [=] { (void)!cprng_os_wipe_on_fork(p, page); } },
		{ "map, too much", [=] { (void)cprng_os_map(SIZE_MAX / 2 / page * page); } },
		{ "process_id", [] { cprng_os_process_id(); } },
		{ "this_thread", [] { (void)cprng_os_this_thread(); } },
		{ "is_first_thread", [] { (void)cprng_os_is_first_thread(); } },
		{ "get_exit_word and back",
		  [] {
			  std::uint32_t *exit_word;
			  if (cprng_os_get_exit_word(&exit_word) >= 0)
				  cprng_os_set_exit_word(exit_word);
		  } },
		{ "cpu_limit", [] { (void)cprng_os_cpu_limit(); } },
		{ "block_signals", [] { cprng_os_block_signals(&saved); } },
		{ "restore_signals", [] { cprng_os_restore_signals(&saved); } },
		{ "wait", [] { cprng_os_wait(&word, 1); } },
		{ "wake", [] { cprng_os_wake(&word); } },
		{ "sleep", [] { cprng_os_sleep(1000); } },
		{ "nanoseconds", [] { (void)cprng_os_nanoseconds(); } },
		{ "seconds", [] { (void)cprng_os_seconds(); } },
		{ "unix_milliseconds", [] { (void)!cprng_os_unix_milliseconds(&milliseconds); } },
		{ "entropy", [] { (void)!cprng_os_entropy(buf, sizeof(buf)); } },
		{ "vdso_open", [] { cprng_os_vdso_open(&e, 2); } },
		{ "vdso_read",
		  [] {
			  if (e.states != 0)
				  (void)!cprng_os_vdso_read(&e, 0, buf, 32);
		  } },
		{ "vdso_wipe",
		  [] {
			  if (e.states != 0)
				  cprng_os_vdso_wipe(&e, 0);
		  } },
		{ "vdso_close", [] { cprng_os_vdso_close(&e); } },
		{ "restartable_sequences",
		  [] {
			  std::ptrdiff_t offset;
			  if (cprng_os_restartable_sequences(&offset))
				  (void)cprng_os_sequence_cpu(offset);
		  } },
		{ "abort_sequences", [] { (void)!cprng_os_abort_sequences(); } },
		{ "find_announcements", [] { (void)cprng_os_vm_generation(cprng_os_find_announcements()); } },
		{ "find_file, none", [=] { cprng_os_find_file(dir, "none", &file); } },
		{ "open_file, none", [=] { cprng_os_open_file(dir, "none"); } },
		{ "create_file", [=] { fd = static_cast<int>(cprng_os_create_file(dir, "file")); } },
		{ "create_file, again", [=] { cprng_os_create_file(dir, "file"); } },
		{ "write_file", [] { cprng_os_write_file(fd, buf, 3); } },
		{ "close_file", [] { cprng_os_close_file(fd); } },
		{ "find_file", [=] { cprng_os_find_file(dir, "file", &file); } },
		{ "open_file", [=] { fd = static_cast<int>(cprng_os_open_file(dir, "file")); } },
		{ "describe_file", [] { cprng_os_describe_file(fd, &file); } },
		{ "try_lock_file", [] { (void)!cprng_os_try_lock_file(fd); } },
		{ "try_lock_file, again",
		  [=] {
			  const int other = static_cast<int>(cprng_os_open_file(dir, "file"));
			  (void)!cprng_os_try_lock_file(other);
			  cprng_os_close_file(other);
		  } },
		{ "unlock_file", [] { cprng_os_unlock_file(fd); } },
		{ "read_file", [] { cprng_os_read_file(fd, buf, 3); } },
		{ "sync_file", [] { cprng_os_sync_file(fd); } },
		{ "rename_file", [=] { cprng_os_rename_file(dir, "file", "other"); } },
		{ "rename_file, none", [=] { cprng_os_rename_file(dir, "file", "other"); } },
		{ "remove_file", [=] { cprng_os_remove_file(dir, "other"); } },
		{ "remove_file, none", [=] { cprng_os_remove_file(dir, "other"); } },
		{ "close_file, open for reading", [] { cprng_os_close_file(fd); } },
		{ "open_directory", [] { fd = static_cast<int>(cprng_os_open_directory("/")); } },
		{ "close_file, a directory", [] { cprng_os_close_file(fd); } },
		{ "open_directory, none", [] { cprng_os_open_directory("/nonexistent"); } },
	};
	for (int i = 0; i < 7; i++)
		calls.emplace_back("file that is not open, " + std::to_string(i), [i] {
			switch (i) {
			case 0:
				cprng_os_read_file(-1, buf, 1);
				break;
			case 1:
				cprng_os_write_file(-1, buf, 1);
				break;
			case 2:
				cprng_os_sync_file(-1);
				break;
			case 3:
				(void)!cprng_os_try_lock_file(-1);
				break;
			case 4:
				cprng_os_unlock_file(-1);
				break;
			case 5:
				cprng_os_close_file(-1);
				break;
			default:
				cprng_os_describe_file(-1, &file);
			}
		});
	return calls;
}

} // namespace

// Catches a function that calls the C library and does not restore errno.
TEST_CASE("os: every function leaves errno alone")
{
	Directory directory;
	std::string changed;

	for (const auto &call : every_call(directory)) {
		errno = EDOM;
		call.second();
		const int now = errno;
		if (now != EDOM)
			changed += call.first + " ";
	}
	CHECK(changed == "");
}

// Catches a function in which a cancelled thread is ended.
TEST_CASE("os: no function is a cancellation point")
{
	Directory directory;
	struct Run {
		std::vector<std::pair<std::string, std::function<void()>>> calls;
		std::string in; // the call that cancelled the thread
		bool ended = false;
	} run;
	pthread_t thread;
	void *result = nullptr;

	run.calls = every_call(directory);
	const auto body = [](void *argument) -> void * {
		Run &r = *static_cast<Run *>(argument);
		pthread_cancel(pthread_self());
		for (const auto &call : r.calls) {
			r.in = call.first;
			call.second();
		}
		r.in = "";
		r.ended = true;
#ifdef __SANITIZE_ADDRESS__
		__asan_handle_no_return(); // ASan's stack records would outlive the cancelled frames
#endif
		pthread_testcancel();
		return nullptr;
	};
	REQUIRE(pthread_create(&thread, nullptr, body, &run) == 0);
	REQUIRE(pthread_join(thread, &result) == 0);
	CHECK(run.in == "");
	CHECK(run.ended);
	// Cancellation has been requested.
	CHECK(result == PTHREAD_CANCELED);
}

// SPDX-License-Identifier: BSD-2-Clause
// Signals that the thread's own instructions raise.  A program may map pages when they are first touched (garbage
// collectors, lazy commit), or emulate system calls (seccomp).  Its handler must be called wherever the library writes
// to the program's memory or makes a system call: the kernel kills a process that raises a blocked signal in this way.
#include "../../support/fake_os.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/late_pages.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"
#include "../../support/script.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

// ------------------------------------------------------------------------------------------------ pages mapped late

using late_pages::faulted;
using late_pages::memory;
using late_pages::page;

// At most 2^22 windows: 10^-12.
void check_filled(std::size_t len)
{
	REQUIRE_IN_CHILD(faulted > 0);
	REQUIRE_IN_CHILD(!has_zero_window(memory, len));
}

void draw_in_handler(std::size_t)
{
	static unsigned char bytes[600];

	(void)cprng_fast64();
	cprng_fast(bytes, sizeof(bytes));
	cprng_strong(bytes, sizeof(bytes));
}

// One call in a process that has or has not drawn before, for each function and each size with its own code path.
void read_lazily(bool drawn, bool strong, bool locked, std::size_t len)
{
	const pid_t pid = machine::raw_fork();

	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		late_pages::begin(len);
		if (drawn)
			draw_in_handler(0);
		cprng_strong_set_locked_reads(locked);
		late_pages::take_away_first = len > page;
		late_pages::in_handler = draw_in_handler;
		(strong ? cprng_strong : cprng_fast)(memory, len);
		check_filled(len);
		_exit(0);
	}
	const int status = machine::status_of(pid);
	if (status != 0)
		dprintf(STDERR_FILENO, "%s of %zu bytes, locked %d, drawn before %d: %s\n", strong ? "strong" : "fast",
			len, locked, drawn, machine::describe_status(status).c_str());
	REQUIRE_IN_CHILD(status == 0);
}

void read_all_lazily()
{
	for (const bool drawn : { false, true }) {
		for (const std::size_t len : { 16, 48, 512, 513, 70000, 1 << 20, (1 << 22) + 5 }) {
			read_lazily(drawn, false, false, len);
			read_lazily(drawn, true, false, len);
			read_lazily(drawn, true, true, len);
		}
	}
}

// Only the last byte of the second page belongs to the draw.
void touch_first(void (*draw)(unsigned char *, std::size_t), std::size_t len)
{
	late_pages::in_handler = nullptr;
	late_pages::begin(2 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
	script::cipher.keys.clear();
	late_pages::in_handler = [](std::size_t) { REQUIRE_IN_CHILD(script::cipher.keys.empty()); };
	draw(memory + page - len + 1, len);
	REQUIRE_IN_CHILD(faulted == 2 && !script::cipher.keys.empty());
	faulted = 0;
}

const scenario::Scenario touched_first("lazily mapped: before a key", [] {
	unsigned char byte;
	(void)cprng_fast64();
	script::watch_cipher();
	cprng_strong(&byte, 1);
	touch_first([](unsigned char *out, std::size_t len) { cprng_strong(out, len); }, 16);
	touch_first([](unsigned char *out, std::size_t len) { cprng_draw_by_refill(cprng_process(), out, len); }, 16);
});
const scenario::Scenario touched_first_unbuffered("lazily mapped: before a key, unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	(void)cprng_fast64();
	script::watch_cipher();
	touch_first([](unsigned char *out, std::size_t len) { cprng_fast(out, len); }, 600);
});

const scenario::Scenario automatic("lazily mapped: automatic", read_all_lazily);
const scenario::Scenario slots("lazily mapped: slots", [] {
	fake_os.membarrier.answer = -ENOSYS;
	read_all_lazily();
});
const scenario::Scenario unbuffered("lazily mapped: unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	read_all_lazily();
});

// ------------------------------------------------------------------------------------------- system calls that trap

volatile std::sig_atomic_t trapped;

// Acts like a sandbox that emulates system calls but refuses these.
void on_trap(int, siginfo_t *, void *context)
{
	auto *c = static_cast<ucontext_t *>(context);

	trapped = trapped + 1;
#if defined(__x86_64__)
	c->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
	c->uc_mcontext.regs[0] = static_cast<unsigned long>(-EPERM);
#else
	(void)c;
#endif
}

void emulate(long number)
{
	struct sigaction action = {};

	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	REQUIRE_IN_CHILD(sigaction(SIGSYS, &action, nullptr) == 0);
	filters::trap(static_cast<unsigned int>(number));
}

const scenario::Scenario trap_mlock("trap: mlock2", [] {
	emulate(SYS_mlock2);
	unsigned char bytes[100];
	(void)cprng_fast64();
	cprng_strong(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(trapped > 0);
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.memory_lock, "refused") == 0);
});

// Sends every signal that an instruction can raise while the library blocks signals; each must arrive at once.
volatile std::sig_atomic_t arrived;
volatile bool inside;

void on_arrival(int)
{
	if (inside)
		arrived = arrived + 1;
}

// Catches a mask that blocks SIGSEGV or SIGSYS, or that does not block other signals.
CHILD_TEST_CASE("synchronous: signals that instructions raise are never blocked, and the others are", scenario::check)
{
	cprng_os_signals mask;
	for (const int signal : { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGUSR1, SIGRTMAX }) {
		arrived = 0;
		std::signal(signal, on_arrival);
		cprng_os_block_signals(&mask);
		inside = true;
		raise(signal);
		inside = false;
		cprng_os_restore_signals(&mask);
		REQUIRE_IN_CHILD(arrived == (signal == SIGUSR1 || signal == SIGRTMAX ? 0 : 1));
	}
}

} // namespace

// Catches a write to the caller's memory while signals are blocked or a lock is held.
TEST_CASE("synchronous: pages that a handler maps at their first touch")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer has the handler");
	scenario::check(automatic);
	scenario::check(slots);
	scenario::check(unbuffered);
}

// Catches a draw that holds a key when it first touches a page of its caller.
TEST_CASE("synchronous: a handler that maps a page runs before there is a key")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer has the handler");
	if (machine::buffered())
		scenario::check(touched_first);
	scenario::check(touched_first_unbuffered);
}

// Catches a system call while SIGSYS is blocked: the kernel kills the process.
TEST_CASE("synchronous: a sandbox that emulates system calls")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated() || !machine::buffered(),
		"no seccomp filters, or no locks");
	scenario::check(trap_mlock);
}

// SPDX-License-Identifier: BSD-2-Clause
// Draws can be called anywhere: errno, small alternate stacks.  Other places: before main and after exit in
// anywhere_lifetime.cpp, ends of threads in threads.cpp, jumps out of handlers in tests/explore and tests/soak.
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/repeats.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void check_errno(const char *what, void (*draw)())
{
	int kept = 0;

	for (int i = 0; i < 500; i++) {
		errno = 4711;
		draw();
		kept += errno == 4711;
	}
	INFO(std::string(what));
	CHECK(kept == 500);
}

} // namespace

// Catches a function in which a failed system call changes errno.
TEST_CASE("anywhere: errno is preserved")
{
	check_errno("8 bits", [] { (void)cprng_fast8(); });
	check_errno("16 bits", [] { (void)cprng_fast16(); });
	check_errno("32 bits", [] { (void)cprng_fast32(); });
	check_errno("64 bits", [] { (void)cprng_fast64(); });
	check_errno("64 bits, not inlined", [] { (void)outline::fast64(); });
	static unsigned char bytes[100000];
	check_errno("1 byte", [] { cprng_fast(bytes, 1); });
	check_errno("512 bytes", [] { cprng_fast(bytes, 512); });
	check_errno("100000 bytes", [] { cprng_fast(bytes, sizeof(bytes)); });
	check_errno("invalidate, and a refill from the kernel", [] {
		cprng_invalidate();
		(void)cprng_fast64();
	});
	check_errno("reseed", [] { CHECK(cprng_reseed() == 0); });
	check_errno("strong", [] { cprng_strong(bytes, sizeof(bytes)); });
	check_errno("strong, and a poll of the sources", [] {
		fake_os.seconds_ahead++;
		cprng_strong(bytes, 32);
	});
	check_errno("an event", [] { (void)cprng_add_entropy(1, bytes, 8, 1); });
	check_errno("uniform", [] { (void)cprng_uniform64(UINT64_C(1) << 63); });
	check_errno("info", [] {
		cprng_info info;
		cprng_get_info(&info, sizeof(info));
	});
}

namespace {

// Draws on an alternate stack of this size, below which nothing is mapped.
std::size_t stack_size;
volatile std::sig_atomic_t handled;

void on_small_stack(int)
{
	unsigned char bytes[64];

	// The deepest call paths: after an invalidation, a refill with a key from the kernel and a one-time key.
	cprng_draw_by_refill(cprng_process(), bytes, 32);
	cprng_invalidate();
	(void)cprng_fast64();
	static unsigned char many[4100];
	cprng_fast(many, sizeof(many));
	cprng_strong(bytes, sizeof(bytes));
	static double normals[100];
	if (cprng_fill_normal(normals, std::size(normals), 0, 1) != CPRNG_OK ||
	    cprng_fill_double(normals, std::size(normals)) != CPRNG_OK)
		return;
	// A refill that reads the pools, with a poll of the sources.
	fake_os.seconds_ahead += 2;
	cprng_draw_by_refill(cprng_process(), bytes, 32);
	handled = has_zero_window(many, sizeof(many)) ? 2 : 1;
}

// Tests in a child whether the draw fits.
bool fits(std::size_t size)
{
	stack_size = size;
	const pid_t pid = fork();
	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		const std::size_t guard = 65536, whole = (size + 4095) / 4096 * 4096;
		unsigned char *p = static_cast<unsigned char *>(
			mmap(nullptr, guard + whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		if (p == MAP_FAILED || mprotect(p + guard, whole, PROT_READ | PROT_WRITE) != 0)
			_exit(9);
		stack_t stack = {};
		stack.ss_sp = p + guard; // ends (whole - size) below a page boundary
		stack.ss_size = size;
		struct sigaction action = {};
		action.sa_handler = on_small_stack;
		action.sa_flags = SA_ONSTACK;
		// The kernel refuses sizes too small for its own frame.
		if (sigaltstack(&stack, nullptr) != 0)
			_exit(8);
		sigaction(SIGUSR2, &action, nullptr);
		raise(SIGUSR2);
		_exit(handled == 1 ? 0 : 7);
	}
	return machine::status_of(pid) == 0;
}

void find_smallest(const char *what)
{
	std::size_t smallest = 0;

	for (std::size_t size = 2048; size <= 65536 && smallest == 0; size += 512) {
		if (fits(size))
			smallest = size;
	}
	const long promised = sysconf(_SC_SIGSTKSZ), least = sysconf(_SC_MINSIGSTKSZ);
	dprintf(STDOUT_FILENO, "%s needs an alternate stack of %zu bytes; MINSIGSTKSZ %ld, SIGSTKSZ %ld", what,
		smallest, least, promised);
	REQUIRE_IN_CHILD(smallest != 0);
#if defined(__x86_64__)
	// The old SIGSTKSZ suffices except for a process's first draw (cprng.7).
	REQUIRE_IN_CHILD(machine::emulated() || smallest <= 8192);
#endif
	REQUIRE_IN_CHILD(promised > 0 && fits(static_cast<std::size_t>(promised)));
}

// A process's first draw chooses a backend and so computes the known answers.
const scenario::Scenario first_on_stack("alternate stack: first draw", [] { find_smallest("the first draw"); });

const scenario::Scenario later_on_stack("alternate stack: later draw", [] {
	(void)cprng_fast64();
	find_smallest("a later draw");
});

// Catches a failed mlock or getrandom that changes errno.
CHILD_TEST_CASE("anywhere: errno is preserved when system calls fail", scenario::check)
{
	fake_os.mlock.answer = -EPERM;
	fake_os.getrandom.interruptions = 90;
	fake_os.getrandom.longest = 1;
	fake_os.vdso_missing = true;
	errno = 4711;
	(void)cprng_fast64();
	cprng_invalidate();
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(errno == 4711);
}

} // namespace

// Catches a draw whose frames exceed SIGSTKSZ: it faults on the guard page.
TEST_CASE("anywhere: an alternate signal stack of the system's size suffices")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers need more stack");
	scenario::check(first_on_stack);
	scenario::check(later_on_stack);
}

namespace {

void draw_each_way()
{
	static unsigned char bytes[5000];

	(void)cprng_fast8();
	(void)cprng_fast16();
	(void)cprng_fast32();
	(void)cprng_fast64();
	(void)outline::fast64();
	cprng_fast(bytes, 12);
	cprng_fast(bytes, 16);
	cprng_fast(bytes, 32);
	cprng_fast(bytes, 64);
	for (std::size_t len : { 24, 200, 5000 })
		cprng_fast(bytes, len);
	cprng_invalidate();
	(void)cprng_fast64();
	(void)cprng_fast64();
}

// Whether a drawing child completes within this many instructions, after each of which a debugger stops it.
bool ends_in_steps(int steps)
{
	const pid_t pid = fork();

	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
			_exit(scenario::unavailable);
		raise(SIGSTOP);
		draw_each_way();
		_exit(0);
	}
	int status = 0;
	REQUIRE_IN_CHILD(waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status))
		_exit(scenario::unavailable);
	while (steps-- > 0 && ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr) == 0 &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
	}
	if (WIFEXITED(status))
		return true;
	kill(pid, SIGKILL);
	(void)machine::status_of(pid);
	return false;
}

const scenario::Scenario stepped("stepped by a debugger", [] {
	// Fill the buffer, from which a forked child also draws.
	(void)cprng_fast64();
	// With the slowest cipher a refill takes about ten thousand instructions; a draw that never ends exceeds any limit.
	REQUIRE_IN_CHILD(ends_in_steps(1000000));
});

} // namespace

// Catches a sequence that restarts after an abort: each single step aborts it, so the draw never ends.
TEST_CASE("anywhere: draws of each kind end under single steps")
{
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "no debugger");
	scenario::check(stepped);
}

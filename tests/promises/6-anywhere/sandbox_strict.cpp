// SPDX-License-Identifier: BSD-2-Clause
// A filter leaves a seeded process only getrandom, read, write and exit.  Tested under it: all draws of the fast functions,
// long requests, reseeds over many seconds, and cprng_strong(); the same without getrandom; and some draws without any call.
#include "../../support/fake_os.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <cerrno>
#include <csignal>

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const std::vector<long> classic = { SYS_read, SYS_write, SYS_exit_group, SYS_exit, SYS_rt_sigreturn };

// Also prepare recovery from a disclosure of the process's memory.
std::vector<long> and_getrandom()
{
	std::vector<long> calls = classic;

	calls.push_back(SYS_getrandom);
	// These calls are made when another CPU's buffer is first used.
	calls.push_back(SYS_mlock2);
	return calls;
}

// abort(3) needs these where calls are refused but not fatal.
std::vector<long> and_abort()
{
	std::vector<long> calls = classic;

	for (long number : { SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_gettid, SYS_getpid, SYS_tgkill })
		calls.push_back(number);
	return calls;
}

unsigned char served[1 << 17];
volatile std::uint64_t number;

void draw_for_a_second()
{
	for (int i = 0; i < 500; i++)
		number = cprng_fast64() + cprng_fast32() + cprng_fast16() + cprng_fast8();
	for (std::size_t len : { 16, 512, 513, 4096, 1 << 17 }) {
		std::memset(served, 0, len);
		cprng_fast(served, len);
		// False alarms: 20 * 2^17 / 2^64.
		REQUIRE_IN_CHILD(!has_zero_window(served, len));
	}
	fake_os.seconds_ahead++;
}

void seed()
{
	machine::pin(0, machine::cpus().front());
	draw_for_a_second();
	draw_for_a_second();
}

const scenario::Scenario seconds("strict: seconds", [] {
	seed();
	machine::unpin();
	filters::allow_only(and_getrandom(), SECCOMP_RET_KILL_PROCESS);
	for (int i = 0; i < 20; i++)
		draw_for_a_second();
});

// The vDSO would still return bytes, but from a key that a reader of the process's memory knows.
const scenario::Scenario reseed_killed("strict: reseed, killed", [] {
	seed();
	filters::allow_only(classic, SECCOMP_RET_KILL_PROCESS);
	draw_for_a_second();
	draw_for_a_second();
	dprintf(STDOUT_FILENO, "went on");
});

const scenario::Scenario reseed_refused("strict: reseed, refused", [] {
	seed();
	filters::allow_only(and_abort(), SECCOMP_RET_ERRNO | EPERM);
	draw_for_a_second();
	draw_for_a_second();
	dprintf(STDOUT_FILENO, "went on");
});

// The process survives refused calls: it cannot block signals, but everything else continues.
const scenario::Scenario strong_before("strict: strong, used before", [] {
	seed();
	cprng_strong(served, 32);
	draw_for_a_second();
	filters::allow_only(and_getrandom(), SECCOMP_RET_ERRNO | EPERM);
	for (int i = 0; i < 20; i++) {
		std::memset(served, 0, 4096);
		cprng_strong(served, 4096);
		REQUIRE_IN_CHILD(!has_zero_window(served, 4096));
		draw_for_a_second();
	}
});

const scenario::Scenario strong_killed("strict: strong, killed", [] {
	seed();
	cprng_strong(served, 32);
	filters::allow_only(and_getrandom(), SECCOMP_RET_KILL_PROCESS);
	cprng_strong(served, 32);
	dprintf(STDOUT_FILENO, "went on");
});

// Once a second, a refill of a process with a Fortuna reads its pools.
const scenario::Scenario refill_killed("strict: refill of a user of strong, killed", [] {
	seed();
	cprng_strong(served, 32);
	draw_for_a_second();
	filters::allow_only(and_getrandom(), SECCOMP_RET_KILL_PROCESS);
	draw_for_a_second();
	draw_for_a_second();
	dprintf(STDOUT_FILENO, "went on");
});

// The first call of cprng_strong() needs the kernel's bytes, which are unavailable.
const scenario::Scenario strong_late("strict: strong, not used before", [] {
	seed();
	filters::allow_only(and_abort(), SECCOMP_RET_ERRNO | EPERM);
	cprng_strong(served, 32);
	dprintf(STDOUT_FILENO, "went on");
});

// Slightly fewer draws than the promised number, which must need no kernel call.
const scenario::Scenario no_calls("strict: so many draws without a system call", [] {
	fake_os.vdso_missing = true;
	// After a second the next refill would ask the kernel.
	fake_os.nanoseconds = 1000 * FakeOs::second;
	machine::pin(0, machine::cpus().front());
	// The second draw fills the buffer, whose page then exists.
	(void)cprng_fast64();
	(void)cprng_fast64();
	filters::allow_only({ SYS_write, SYS_exit_group }, SECCOMP_RET_KILL_PROCESS);
	// 16 refills; one of them is in progress.
	const int refill = cprng_process()->small_refill * CPRNG_REFILL_CHUNK - CPRNG_KEY_LINE - 16;
	for (int i = 0; i < 14 * refill / 16; i++)
		cprng_fast(served, 16);
	_exit(0);
});

bool is_skipped(const scenario::Result &r)
{
	const bool yes = r.absent();

	if (yes)
		SKIPPED("no seccomp filters here");
	return yes;
}

// A preemption during a refill, which lasts some nanoseconds, loses the key, and the next refill makes a system call:
// so a scenario without system calls may be retried.  The scenario's refills compute for some microseconds, so a
// preemption hits at most one run in a hundred: three in a row, one in 10^6.
void check_goes_on(const scenario::Scenario &scenario, int tries = 1)
{
	scenario::Result r = scenario.run();

	while (--tries > 0 && WIFSIGNALED(r.status))
		r = scenario.run();
	INFO(std::string(scenario.name) << ": " << r.describe());
	if (!is_skipped(r))
		CHECK(r.ended_well());
}

void check_killed(const scenario::Scenario &scenario)
{
	const scenario::Result r = scenario.run();

	INFO(std::string(scenario.name) << ": " << r.describe());
	if (is_skipped(r))
		return;
	CHECK(WIFSIGNALED(r.status));
	CHECK(WTERMSIG(r.status) == SIGSYS);
	CHECK(r.output.empty());
}

void check_aborts(const scenario::Scenario &scenario)
{
	const scenario::Result r = scenario.run();

	INFO(std::string(scenario.name) << ": " << r.describe());
	if (!is_skipped(r))
		CHECK(r.aborted_saying("cprng: no random numbers from the kernel: getrandom: error " +
				       std::to_string(EPERM)));
}

bool has_calls_of_its_own()
{
	return CPRNG_TESTS_SANITIZED || machine::emulated() || !machine::buffered();
}

} // namespace

// Catches another system call in reseeds or long requests.
TEST_CASE("sandbox: once seeded, all of the fast draw goes on for many seconds with getrandom, read, write and exit")
{
	SKIP_IF(has_calls_of_its_own(), "no buffers, or an emulator or a sanitizer that makes calls of its own");
	check_goes_on(seconds);
}

// Catches a system call before the promised number of refills.
TEST_CASE("sandbox: once seeded, so many draws make no system call at all")
{
	SKIP_IF(has_calls_of_its_own(), "no buffers, or an emulator or a sanitizer that makes calls of its own");
	check_goes_on(no_calls, 3);
}

// Catches a reseed that is skipped, or taken from the vDSO.
TEST_CASE("sandbox: once seeded, a process that may not call getrandom ends at the next second's reseed")
{
	SKIP_IF(has_calls_of_its_own(), "no buffers, or an emulator or a sanitizer that makes calls of its own");
	check_killed(reseed_killed);
	check_aborts(reseed_refused);
}

// Catches a refused call that ends cprng_strong(), an undocumented call, and a documented call that is no longer made.
TEST_CASE("sandbox: once seeded, cprng_strong goes on where calls are refused, and is killed where they are fatal")
{
	SKIP_IF(has_calls_of_its_own(), "no buffers, or an emulator or a sanitizer that makes calls of its own");
	check_goes_on(strong_before);
	check_killed(strong_killed);
	check_killed(refill_killed);
	check_aborts(strong_late);
}

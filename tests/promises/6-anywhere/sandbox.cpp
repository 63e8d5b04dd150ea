// SPDX-License-Identifier: BSD-2-Clause
// Real seccomp filters, installed before or after the first draw.
#include "../../support/faults.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void print_draw()
{
	const std::uint64_t v = cprng_fast64();
	dprintf(STDOUT_FILENO, "%llx\n", static_cast<unsigned long long>(v));
}

const scenario::Scenario enosys("filter: getrandom ENOSYS", [] {
	filters::refuse(SYS_getrandom, ENOSYS);
	print_draw();
});

const scenario::Scenario eperm("filter: getrandom EPERM", [] {
	filters::refuse(SYS_getrandom, EPERM);
	print_draw();
});

// Everything but getrandom is optional: locked memory, advice, membarrier, the CPU mask.
const scenario::Scenario no_madvise("filter: madvise EPERM", [] {
	filters::refuse(SYS_madvise, EPERM);
	print_draw();
	REQUIRE_IN_CHILD(!machine::buffered());
});

const scenario::Scenario no_mlock("filter: mlock EPERM", [] {
	cprng_info info;
	filters::refuse(SYS_mlock, EPERM);
	filters::refuse(SYS_mlock2, EPERM);
	print_draw();
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.memory_lock, "locked") != 0);
});

const scenario::Scenario no_membarrier("filter: membarrier EPERM", [] {
	filters::refuse(SYS_membarrier, EPERM);
	print_draw();
	REQUIRE_IN_CHILD(!machine::per_cpu());
});

const scenario::Scenario no_mask("filter: sched_getaffinity EPERM", [] {
	filters::refuse(SYS_sched_getaffinity, EPERM);
	print_draw();
});

// Before the first draw, with only the calls of docs/system-calls.md: no file is opened any more.
const scenario::Scenario documented("filter: the documented calls", [] {
	filters::allow_only({ SYS_mmap, SYS_munmap, SYS_madvise, SYS_sched_getaffinity, SYS_membarrier,
			      SYS_rt_sigprocmask, SYS_getrandom, SYS_mlock2, SYS_getpid, SYS_gettid, SYS_rseq,
			      SYS_exit_group },
			    SECCOMP_RET_KILL_PROCESS);
	unsigned char bytes[1000];
	(void)cprng_fast64();
	(void)cprng_fast64();
	cprng_fast(bytes, sizeof(bytes));
	cprng_strong(bytes, sizeof(bytes));
	cprng_invalidate();
	(void)cprng_fast64();
	_exit(0);
});

// Seeded, on one CPU whose page exists: the second draw fills it.
void prepare()
{
	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	(void)cprng_fast64();
}

std::uint64_t draw_many(int times)
{
	unsigned char bytes[512];
	std::uint64_t sum = 0;

	for (int i = 0; i < times; i++)
		sum += cprng_fast64() + cprng_fast32() + cprng_fast16() + cprng_fast8();
	for (int i = 0; i < times / 50; i++) {
		cprng_fast(bytes, sizeof(bytes));
		sum += bytes[0];
	}
	return sum;
}

// Only the classic strict mode's calls, and getrandom.
const scenario::Scenario strict("filter: getrandom, read, write, exit", [] {
	prepare();
	filters::allow_only({ SYS_getrandom, SYS_read, SYS_write, SYS_exit_group, SYS_exit, SYS_rt_sigreturn },
			    SECCOMP_RET_KILL_PROCESS);
	const std::uint64_t sum = draw_many(6000);
	if (sum != 0)
		_exit(0);
});

const long needed_to_abort[] = { SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_gettid, SYS_getpid, SYS_tgkill };

void allow_abort()
{
	filters::allow_only({ SYS_read, SYS_write, SYS_exit_group, SYS_exit, SYS_rt_sigreturn, needed_to_abort[0],
			      needed_to_abort[1], needed_to_abort[2], needed_to_abort[3], needed_to_abort[4] },
			    SECCOMP_RET_ERRNO | EPERM);
}

// Without it, draws continue until a refill must take fresh bytes; then the library must abort.
const scenario::Scenario strict_without_vdso("filter: read, write, exit, abort; no vDSO", [] {
	faults.vdso_missing = true;
	prepare();
	allow_abort();
	volatile std::uint64_t sum = 0;
	for (int i = 0; i < 10000000; i++)
		sum = sum + cprng_fast64();
	std::printf("did not abort");
	std::fflush(stdout);
});

// The promised number of draws, less one refill for each, needs no kernel call.
const scenario::Scenario strict_few("filter: so many draws without a system call", [] {
	faults.vdso_missing = true;
	// After a second the next refill would ask the kernel.
	faults.clock = Faults::Clock::stands;
	prepare();
	filters::allow_only({ SYS_write, SYS_exit_group }, SECCOMP_RET_KILL_PROCESS);
	// 16 refills, of which one is in progress.
	unsigned char bytes[16];
	const int refill = cprng_process()->small_refill * CPRNG_REFILL_CHUNK - CPRNG_KEY_LINE - 16;
	for (int i = 0; i < 14 * refill / 16; i++)
		cprng_fast(bytes, sizeof(bytes));
	_exit(0);
});

const char failed[] = "cprng: no random numbers from the kernel: getrandom: error ";

// A preemption during a refill, which lasts some nanoseconds, loses the key, and the next refill makes a system call:
// so a scenario without system calls may be retried.  The scenario's refills compute for some microseconds, so a
// preemption hits at most one run in a hundred: three in a row, one in 10^6.
void check_says(const scenario::Scenario &scenario, const std::string &line = "", int tries = 1)
{
	scenario::Result r = scenario.run();
	while (--tries > 0 && WIFSIGNALED(r.status))
		r = scenario.run();
	INFO(std::string(scenario.name) << ": " << r.describe());
	if (r.absent()) {
		SKIPPED("no seccomp filters here");
		return;
	}
	if (line.empty())
		CHECK(r.ended_well());
	else
		CHECK(r.aborted_saying(line));
}

} // namespace

// Catches a draw without entropy, or without the promised line.
TEST_CASE("sandbox: getrandom refused before the first draw")
{
	check_says(enosys, failed + std::to_string(ENOSYS));
	check_says(eperm, failed + std::to_string(EPERM));
}

// Catches a library that ends because of an optional call.
TEST_CASE("sandbox: what can be done without")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer makes calls of its own");
	check_says(no_madvise);
	check_says(no_mlock);
	check_says(no_membarrier);
	check_says(no_mask);
}

// Catches a system call missing from docs/system-calls.md.
TEST_CASE("sandbox: first draws make the documented calls alone")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer makes calls of its own");
	check_says(documented);
}

// Catches a draw that makes another system call: the filter kills the process.
TEST_CASE("sandbox: once seeded, draws make no system call but getrandom")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || !machine::buffered(),
		"no buffers, or a sanitizer that makes calls of its own");
	check_says(strict, "", 3);
}

// Catches a system call before the promised number of refills, and a draw that continues when it is refused.
TEST_CASE("sandbox: once seeded, without the vDSO")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || !machine::buffered(),
		"no buffers, or a sanitizer that makes calls of its own");
	check_says(strict_few, "", 3);
	check_says(strict_without_vdso, failed + std::to_string(EPERM));
}

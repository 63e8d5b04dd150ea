// SPDX-License-Identifier: BSD-2-Clause
// Two unannounced copies of one process, as after a checkpoint or a snapshot of the machine.  The test makes them by a fork
// that keeps the pages it should wipe, so the copies have the same buffers and keys.  Their kernels give different bytes, as
// after a checkpoint, or the same bytes, as after a snapshot of the machine; then their clocks agree, too.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/splitmix64.hpp"
#include "cpu/random_instructions.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// Bytes kept of each request: all of them if the buffer serves it; only the first ones of a longer request.
constexpr std::size_t kept = CPRNG_SHORT_MAX;

struct Work {
	std::size_t len;      // of a request; 0: pairs of 64-bit numbers
	std::size_t requests; // more than the copies may have in common
	std::size_t most;     // bytes that they may have in common
};

// The number of keys in a buffer, for requests that draw no keystream position of their own.
constexpr std::size_t keys = CPRNG_BUFFER_SIZE / CPRNG_KEY_SIZE;

constexpr Work works[] = {
	{ 0, 2000, CPRNG_BUFFER_SIZE },
	{ 16, 2000, CPRNG_BUFFER_SIZE },
	{ 100, 200, CPRNG_BUFFER_SIZE },
	{ 512, 40, CPRNG_BUFFER_SIZE },
	{ 1024, 600, keys * 1024 },
	{ 4095, 600, keys * 4095 },
	{ 4096, 600, 0 },
	{ 65536, 200, 0 },
	{ 1 << 20, 4, 0 },
};

// The bytes drawn and the clock readings so far: the clocks of equal copies depend on them.
std::uint64_t drawn, readings;

template <std::uint64_t bytes> std::uint64_t second_of_bytes()
{
	return (1000 + drawn / bytes) * FakeOs::second;
}

// Depending on the bytes that a copy draws in a second, it refills several times a second, about once, or less often.
constexpr struct {
	const char *name;
	std::uint64_t (*nanoseconds)();
	bool pools_locked; // another thread holds them at each refill
} clocks[] = {
	{ "a clock that stands", [] { return 1000 * FakeOs::second; }, false },
	{ "a second for 300 bytes", second_of_bytes<300>, false },
	{ "a second for 1000 bytes", second_of_bytes<1000>, false },
	{ "a second for 3000 bytes", second_of_bytes<3000>, false },
	{ "a second for 10000 bytes", second_of_bytes<10000>, false },
	{ "a clock that jumps", [] { return (1000 + splitmix64::word(readings++) % 1000000) * FakeOs::second; },
	  false },
	{ "no clock", [] { return std::uint64_t{ 0 }; }, false },
	{ "pools that stay locked", second_of_bytes<300000>, true },
};

void draw(const Work &work, unsigned char *to, std::size_t n)
{
	static unsigned char bytes[1 << 20];

	for (std::size_t i = 0; i < n; i++) {
		if (work.len == 0) {
			const std::uint64_t pair[2] = { cprng_fast64(), cprng_fast64() };
			std::memcpy(bytes, pair, sizeof(pair));
		} else {
			cprng_fast(bytes, work.len);
		}
		drawn += work.len == 0 ? 16 : work.len;
		if (to != nullptr)
			std::memcpy(to + kept * i, bytes, work.len == 0 ? 16 : std::min(work.len, kept));
	}
}

// Keeps the pages over a fork, including those of the vDSO's states, which a checkpoint restores in other memory.
void keep_pages(bool vdso_dropped)
{
	struct cprng_process *p = cprng_process();
	const cprng_os_vdso &states = p->vdso;

	if (!machine::buffered())
		return;
	REQUIRE_IN_CHILD(madvise(p->fork_state, p->mapped - p->kept, MADV_KEEPONFORK) == 0);
	if (states.states == 0)
		return;
	const std::vector<unsigned char> content(states.memory, states.memory + states.mapped);
	REQUIRE_IN_CHILD(mmap(states.memory, states.mapped, PROT_READ | PROT_WRITE,
			      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == states.memory);
	if (!vdso_dropped)
		std::memcpy(states.memory, content.data(), content.size());
}

std::vector<unsigned char> outputs_of_copy(const Work &work)
{
	const std::size_t size = kept * work.requests;
	void *shared = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	REQUIRE_IN_CHILD(shared != MAP_FAILED);
	const pid_t copy = machine::raw_fork();
	if (copy == 0) {
		draw(work, static_cast<unsigned char *>(shared), work.requests);
		_exit(0);
	}
	REQUIRE_IN_CHILD(copy > 0 && machine::ended_well(copy));
	const auto *bytes = static_cast<const unsigned char *>(shared);
	std::vector<unsigned char> outputs(bytes, bytes + size);
	munmap(shared, size);
	return outputs;
}

// Counts runs of eight bytes or more: older bytes lie below those of a refill, and a request may be served partly from them.
std::size_t equal_bytes(const unsigned char *one, const unsigned char *other, std::size_t len)
{
	std::size_t equal = 0, run = 0;

	for (std::size_t i = 0; i < len; i++) {
		run = one[i] == other[i] ? run + 1 : 0;
		equal += run == 8 ? 8 : run > 8;
	}
	return equal;
}

std::size_t bytes_in_common(const Work &work)
{
	const std::vector<unsigned char> one = outputs_of_copy(work), other = outputs_of_copy(work);
	const std::size_t len = work.len == 0 ? 16 : std::min(work.len, kept);
	std::size_t common = 0;

	for (std::size_t at = 0; at < one.size(); at += kept) {
		const std::size_t equal = equal_bytes(&one[at], &other[at], len);
		common += work.len <= kept ? equal : (equal != 0) * work.len;
	}
	return common;
}

// Makes this many refills before the copies, so that they begin at each place in the cycle of refills with and without a
// keystream position of their own.
void before_copies(const Work &work, unsigned int refills)
{
	const unsigned int made = cprng_process()->small_refill * CPRNG_REFILL_CHUNK - CPRNG_KEY_LINE;

	draw(work, nullptr, 1);
	for (unsigned int i = 0; i < refills * made / 8; i++)
		(void)cprng_fast64();
}

void set_up()
{
	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	(void)cprng_fast64();
}

void check_bounds(bool vdso_dropped, std::uint8_t small_refill, bool equal_kernels = false)
{
	set_up();
	cprng_process()->small_refill = small_refill;
	keep_pages(vdso_dropped);
	for (const Work &work : works) {
		// Unbuffered short requests return the kernel's bytes.
		const bool from_kernel = !machine::buffered() && equal_kernels && work.len <= CPRNG_SHORT_MAX;
		const std::size_t all = work.requests * (work.len == 0 ? 16 : work.len);
		const std::size_t bound = from_kernel ? all : machine::buffered() ? work.most : 0;
		std::size_t most = 0;
		// If a pop of one copy is preempted, it refills, and nothing later is in common: try more copies.
		for (unsigned int refills = 0;
		     refills < (work.len < 64 ? 10 : 3) || (bound != 0 && most == 0 && refills < 100); refills++) {
			before_copies(work, refills % 10);
			most = std::max(most, bytes_in_common(work));
		}
		dprintf(STDOUT_FILENO, "%zu: %zu; ", work.len, most);
		REQUIRE_IN_CHILD(most <= bound);
		// The test would notice bytes in common.
		REQUIRE_IN_CHILD(bound == 0 || most != 0);
	}
}

const scenario::Scenario by_both("unannounced: counter and instruction", [] {
	fake_os.real_count = fake_os.real_word = true;
	check_bounds(true, 1);
});

const scenario::Scenario vdso_kept("unannounced: vDSO's states kept", [] {
	fake_os.real_count = fake_os.real_word = true;
	check_bounds(false, CPRNG_REFILL_CHUNKS);
});

// Between equal kernels, for each refill size and clock.
void for_each_clock(void (*check)(std::uint8_t small_refill))
{
	for (const std::uint8_t small_refill : { std::uint8_t{ 1 }, std::uint8_t{ CPRNG_REFILL_CHUNKS } }) {
		for (const auto &clock : clocks) {
			dprintf(STDOUT_FILENO, "%u KiB, %s: ", small_refill, clock.name);
			fake_os.clock = clock.nanoseconds;
			fake_os.pools_silent = clock.pools_locked;
			cprng_process()->strong_used = clock.pools_locked;
			check(small_refill);
		}
	}
}

// Catches a refill count that decides which refills draw a keystream position, and that the clock resets: copies would then
// stay equal without bound.
CHILD_TEST_CASE("unannounced: between equal kernels the bounds hold for each refill size, whatever the clocks do",
		scenario::check)
{
	script::begin(true);
	fake_os.real_count = fake_os.real_word = true;
	std::uint32_t period;
	if (cprng_cpu_count(&period) == 0 && !cprng_cpu_has_random_word())
		_exit(scenario::unavailable); // the bounds need one of them, as the test of both shows
	for_each_clock([](std::uint8_t small_refill) { check_bounds(false, small_refill, true); });
}

// Before the copies, some pops were aborted by preemptions, so that their refills pushed onto a buffer that was not drained.
// Catches a refill that makes too few positions after it has pushed onto a full buffer.
CHILD_TEST_CASE("unannounced: the bounds hold after pops that were preempted", scenario::check_buffered)
{
	static unsigned char bytes[8];
	std::size_t most = 0;

	fake_os.real_count = true;
	set_up();
	cprng_process()->small_refill = 1;
	keep_pages(false);
	for (unsigned int aborted = 0; aborted < 64; aborted++) {
		before_copies(works[1], aborted % 8);
		for (unsigned int i = 0; i < aborted / 8; i++)
			cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
		most = std::max(most, bytes_in_common(works[1]));
	}
	dprintf(STDOUT_FILENO, "%zu; ", most);
	REQUIRE_IN_CHILD(most != 0 && most <= works[1].most);
}

// The random number instruction always returns the same value, as AMD's did after a suspend, or is missing.
// Catches copies that only the instruction makes diverge.
CHILD_TEST_CASE("unannounced: the same where the random number instruction always gives the same, by the counter alone",
		scenario::check)
{
	fake_os.real_count = true;
	fake_os.word = ~UINT64_C(0);
	check_bounds(false, 2);
}

// All copies read the same counter value.  Requests of 64 KiB always take a random word, and one refill in sixteen does.
// Catches a word that is never requested while the counter stands still, or a refill count for it that the clock resets.
CHILD_TEST_CASE("unannounced: where the counter stands still, the instruction bounds what copies have in common",
		scenario::check_buffered)
{
	script::begin(true);
	fake_os.real_word = true;
	fake_os.period = 1;
	set_up();
	if (!cprng_process()->random_word)
		scenario::skip_part("this CPU has no instruction for random numbers");
	if (!cprng_process()->random_word)
		return;
	for_each_clock([](std::uint8_t small_refill) {
		cprng_process()->small_refill = small_refill;
		keep_pages(false);
		for (const Work &work :
		     { Work{ 16, 6000, 17 * CPRNG_BUFFER_SIZE }, Work{ 65536, 20, 0 }, Work{ 1 << 20, 4, 0 } }) {
			const std::size_t common = bytes_in_common(work);
			dprintf(STDOUT_FILENO, "%zu: %zu; ", work.len, common);
			REQUIRE_IN_CHILD(common <= work.most);
		}
	});
}

// Without counter and instruction the copies have more in common, which shows that the bounds depend on these two.
// Catches tests of the bounds that cannot fail.
CHILD_TEST_CASE("unannounced: without counter and instruction the bounds do not hold", scenario::check_buffered)
{
	// Stop the clock: the system call in the first refill of a new second would make the copies diverge.
	fake_os.nanoseconds = 1000 * FakeOs::second;
	set_up();
	keep_pages(false);
	for (const Work &work : works) {
		std::size_t common = 0;
		// A preempted refill gives up a chunk, and its copy diverges from there: try several pairs.
		for (int pair = 0; pair < 100 && common <= work.most; pair++)
			common = bytes_in_common(work);
		dprintf(STDOUT_FILENO, "%zu: %zu; ", work.len, common);
		REQUIRE_IN_CHILD(common > work.most);
	}
}

#if defined(__x86_64__)
// The counter faults, as in seccomp's strict mode.
const scenario::Scenario faulting("unannounced: counter that faults", [] {
	static unsigned char bytes[4096];

	fake_os.real_count = true;
	set_up();
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
	(void)cprng_fast64();
	cprng_fast(bytes, 4095);
	dprintf(STDOUT_FILENO, "went on");
	cprng_fast(bytes, 4096);
	dprintf(STDOUT_FILENO, ", and on");
});
#endif

} // namespace

// Catches refills that stay equal in two copies, and equal output of a one-time key for 4 KiB or more.
TEST_CASE("unannounced: copies have at most one buffer of short requests in common, and no request of 4 KiB or more")
{
	scenario::check(by_both);
	scenario::check(vdso_kept);
}

#if defined(__x86_64__)
// Catches a draw from the buffer that reads the counter; documents what happens where programs may not read it.
TEST_CASE("unannounced: a counter that may not be read ends the process at a request of 4 KiB")
{
	SKIP_IF(machine::emulated(), "an emulator does not forbid it");
	SKIP_IF(!machine::buffered(), "nothing is buffered");
	const scenario::Result r = faulting.run();

	INFO(r.describe());
	CHECK(WIFSIGNALED(r.status));
	CHECK(WTERMSIG(r.status) == SIGSEGV);
	CHECK(r.output == "went on");
}
#endif

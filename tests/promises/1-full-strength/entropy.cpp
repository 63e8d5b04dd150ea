// SPDX-License-Identifier: BSD-2-Clause
// If the kernel's random numbers fail, the library aborts with one line, or continues with full-length output.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <cerrno>
#include <cstdio>

namespace {

void draw_and_print()
{
	std::printf("%016llx\n", static_cast<unsigned long long>(cprng_fast64()));
	std::fflush(stdout);
}

// Every kind of draw fills exactly the requested bytes.
void check_draws()
{
	unsigned char bytes[5000];
	Windows windows(200000);

	for (std::size_t len : { 0, 1, 7, 8, 15, 16, 17, 63, 64, 100, 512, 513, 1000, 4096 }) {
		std::memset(bytes, 0, sizeof(bytes));
		cprng_fast(bytes, len);
		// False alarms: 14 * 5000 / 2^64.
		REQUIRE_IN_CHILD(!has_zero_window(bytes, len));
		REQUIRE_IN_CHILD(windows.add(bytes, len) == 0);
		for (std::size_t i = len; i < sizeof(bytes); i++)
			REQUIRE_IN_CHILD(bytes[i] == 0);
		// The last bytes are written, too.  False alarms: 2^-64 for each length of 8 or more, less than 2^-62 in total.
		if (len >= 8)
			REQUIRE_IN_CHILD(window_at(bytes + len - 8) != 0);
	}
	for (int i = 0; i < 5000; i++) {
		const std::uint64_t v = cprng_fast64();
		REQUIRE_IN_CHILD(v != 0);
		REQUIRE_IN_CHILD(windows.add(&v, sizeof(v)) == 0);
	}
}

template <long error> void draw_without()
{
	fake_os.getrandom.instead = [](auto...) { return -error; };
	draw_and_print();
}

const scenario::Scenario eperm_long("getrandom EPERM, long request", [] {
	unsigned char bytes[4096] = {};
	fake_os.getrandom.answer = -EPERM;
	cprng_fast(bytes, sizeof(bytes));
	std::fwrite(bytes, 1, sizeof(bytes), stdout);
	std::fflush(stdout);
});

const scenario::Scenario eperm_unbuffered("getrandom EPERM, unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	draw_without<EPERM>();
});

// The source fails after some draws, at the first refill that asks for more.
const scenario::Scenario eperm_later("getrandom EPERM later", [] {
	fake_os.vdso_missing = true;
	std::uint64_t sum = cprng_fast64();
	fake_os.getrandom.answer = -EPERM;
	for (long i = 0; i < 10000000; i++)
		sum += cprng_fast64();
	std::printf("%llu\n", static_cast<unsigned long long>(sum));
	std::fflush(stdout);
});

const scenario::Scenario too_much("getrandom more than asked", [] {
	fake_os.getrandom.instead = [](void *, std::size_t len) { return static_cast<long>(len) + 1; };
	draw_and_print();
});

const scenario::Scenario storm_of_eintr("getrandom EINTR often", [] {
	fake_os.getrandom.interruptions = 90;
	fake_os.getrandom.longest = 1;
	check_draws();
	REQUIRE_IN_CHILD(fake_os.getrandom.calls >= 8 * 91);
});

const scenario::Scenario one_byte("getrandom one byte", [] {
	fake_os.getrandom.longest = 1;
	fake_os.vdso_missing = true;
	check_draws();
	REQUIRE_IN_CHILD(fake_os.getrandom.calls >= 8 + 32);
});

const scenario::Scenario one_byte_unbuffered("getrandom one byte, unbuffered", [] {
	fake_os.getrandom.longest = 1;
	fake_os.madvise.answer = -EINVAL;
	check_draws();
	REQUIRE_IN_CHILD(fake_os.getrandom.calls >= 40000);
});

// Catches a library that requires the vDSO, or that wrongly reports its use.
CHILD_TEST_CASE("entropy: without the vDSO", scenario::check)
{
	cprng_info info;
	fake_os.vdso_missing = true;
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.entropy, "getrandom") == 0);
	check_draws();
	REQUIRE_IN_CHILD(fake_os.getrandom.calls >= 2);
}

// Catches a failed reseed that has already dropped the buffers.
CHILD_TEST_CASE("entropy: cprng_reseed reports, and changes nothing, when the kernel does not answer", scenario::check)
{
	fake_os.vdso_missing = true;
	unsigned char before[256];
	cprng_fast(before, sizeof(before));
	const struct cprng_process *p = cprng_process();
	std::size_t left = 0;
	for (std::uint32_t i = 0; i < p->buffer_count; i++)
		left += p->buffers[i].left;
	const std::uint64_t generation = p->fork_state != nullptr ? p->fork_state->generation : 0;

	fake_os.getrandom.answer = -EPERM;
	errno = 77;
	REQUIRE_IN_CHILD(cprng_reseed() == CPRNG_ERR_ENTROPY);
	REQUIRE_IN_CHILD(errno == 77);
	std::size_t left_now = 0;
	for (std::uint32_t i = 0; i < p->buffer_count; i++)
		left_now += p->buffers[i].left;
	REQUIRE_IN_CHILD(left_now == left);
	REQUIRE_IN_CHILD(p->fork_state == nullptr || p->fork_state->generation == generation);

	fake_os.getrandom.answer = 0;
	REQUIRE_IN_CHILD(cprng_reseed() == 0);
	for (std::uint32_t i = 0; i < p->buffer_count; i++)
		REQUIRE_IN_CHILD(p->buffers[i].left == 0 && p->buffers[i].key_tag == 0);
	check_draws();
}

// The line names the error.
void check_aborts(const scenario::Scenario &scenario, int error)
{
	const scenario::Result r = scenario.run();
	INFO(std::string(scenario.name) << ": " << r.describe());
	CHECK(r.aborted_saying("cprng: no random numbers from the kernel: getrandom: error " + std::to_string(error)));
}

} // namespace

// Catches a draw that continues without the kernel's bytes.
TEST_CASE("entropy: an error of getrandom aborts, with one line and no output")
{
	check_aborts({ "getrandom ENOSYS", draw_without<ENOSYS> }, ENOSYS);
	check_aborts({ "getrandom EPERM", draw_without<EPERM> }, EPERM);
	// A layer between the library and the kernel (a sandbox, an old emulator) may return EAGAIN and cannot wait.
	check_aborts({ "getrandom EAGAIN", draw_without<EAGAIN> }, EAGAIN);
	check_aborts(eperm_long, EPERM);
	check_aborts(eperm_unbuffered, EPERM);
	check_aborts(eperm_later, EPERM);
}

// Catches an endless loop, and an unchecked returned length.
TEST_CASE("entropy: getrandom that never gives anything, or pretends, aborts")
{
	check_aborts({ "getrandom EINTR always", draw_without<EINTR> }, EIO);
	check_aborts({ "getrandom 0 always", draw_without<0> }, EIO);
	check_aborts(too_much, EIO);
}

// Catches a short read that is treated as complete.
TEST_CASE("entropy: interruptions and short reads do no harm")
{
	scenario::check(storm_of_eintr);
	scenario::check(one_byte);
	scenario::check(one_byte_unbuffered);
}

// SPDX-License-Identifier: BSD-2-Clause
// A kernel whose pool is not ready, whose calls real signals interrupt, and whose restartable sequences another runtime uses.
#include "../../support/fake_os.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/repeats.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

// Early in the boot: the first draw waits in the kernel, and returns nothing before it is seeded.
void draw_at_boot(bool strong)
{
	int waiting[2], ready[2];
	std::atomic<bool> drawn{ false };
	std::uint64_t value[4] = {};
	char byte;

	REQUIRE_IN_CHILD(pipe(waiting) == 0 && pipe(ready) == 0);
	// Blocks like an unseeded kernel, until the other pipe is closed.
	fake_os.getrandom.before = [=](void *, std::size_t) {
		char there = 0;
		REQUIRE_IN_CHILD(write(waiting[1], &there, 1) == 1);
		while (read(ready[0], &there, 1) < 0 && errno == EINTR) {
		}
	};
	std::thread thread([&] {
		if (strong)
			cprng_strong(value, sizeof(value));
		else
			cprng_fast(value, sizeof(value));
		drawn = true;
	});
	REQUIRE_IN_CHILD(read(waiting[0], &byte, 1) == 1);
	REQUIRE_IN_CHILD(!drawn);
	for (std::uint64_t v : value)
		REQUIRE_IN_CHILD(v == 0);
	close(ready[1]);
	thread.join();
	REQUIRE_IN_CHILD(drawn);
	REQUIRE_IN_CHILD(!has_zero_window(value, sizeof(value)));
}

const scenario::Scenario boot("boot: fast", [] { draw_at_boot(false); });
const scenario::Scenario boot_strong("boot: strong", [] { draw_at_boot(true); });
const scenario::Scenario boot_unbuffered("boot: unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	draw_at_boot(false);
});

// The library never uses GRND_NONBLOCK, GRND_RANDOM or GRND_INSECURE.
void draw_without_flags()
{
	unsigned char bytes[4096];

	filters::no_flags(SYS_getrandom);
	for (int i = 0; i < 50; i++) {
		cprng_fast(bytes, sizeof(bytes));
		for (int j = 0; j < 600; j++)
			(void)cprng_fast64();
		fake_os.seconds_ahead++;
	}
	cprng_strong(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(cprng_reseed() == 0);
}

const scenario::Scenario no_flags("getrandom: no flags", [] { draw_without_flags(); });
const scenario::Scenario no_flags_by_call("getrandom: no flags, no vDSO", [] {
	fake_os.vdso_missing = true;
	draw_without_flags();
});

volatile unsigned long signals;

// Requests for more than a page, which the kernel ends early at a signal.  The library blocks signals during its own
// requests, so the test calls the requesting function directly.
const scenario::Scenario interrupted("getrandom: interrupted for real", [] {
	static unsigned char bytes[1 << 20];
	frequent_signals::Timer timer;
	unsigned long cut = 0; // calls that the kernel ended early

	fake_os.getrandom.after = [&](long n, void *, std::size_t len) {
		cut += n == -EINTR || (n >= 0 && n < static_cast<long>(len));
	};

	REQUIRE_IN_CHILD(timer.works());
	frequent_signals::set_handler([](bool) { signals = signals + 1; });
	timer.start(200000);
	for (int i = 0; i < 1000 && (i < 20 || cut < 20); i++) {
		std::memset(bytes, 0, sizeof(bytes));
		cprng_kernel_bytes_by_call(bytes, sizeof(bytes) - static_cast<std::size_t>(i % 64));
		// False alarms: 1000 * 2^20 / 2^64.
		REQUIRE_IN_CHILD(!has_zero_window(bytes, sizeof(bytes) - 64));
	}
	timer.stop();
	dprintf(STDOUT_FILENO, "%lu signals, %lu calls cut", signals, cut);
	// The kernel checks for signals after each page and computes for milliseconds: nearly all of a thousand calls end early.
	REQUIRE_IN_CHILD(cut >= 20);
});

// From linux/rseq.h, which older systems lack.
struct Area {
	std::uint32_t cpu_id_start, cpu_id;
	std::uint64_t sequence;
	std::uint32_t flags, padding[3];
} __attribute__((aligned(32)));

constexpr unsigned int signature = 0x53053053, unregister = 1;

long call_rseq(Area *area, int flags)
{
	return syscall(SYS_rseq, area, static_cast<unsigned int>(sizeof(*area)), flags, signature);
}

// Another runtime registers an area for this thread before its first draw.  If the C library has registered one, that
// registration fails; if not, the library must not use the other runtime's area.  Where another thread drew first, this
// thread draws without restartable sequences.
void draw_with_an_area_of_another(bool first)
{
	static Area area = { 0, ~0u, 0, 0, {} };
	cprng_info info;
	const bool others = call_rseq(&area, 0) == 0;
	if (first)
		(void)cprng_fast64();
	else
		std::thread([] { (void)cprng_fast64(); }).join();
	std::vector<std::vector<std::uint64_t>> drawn(4, std::vector<std::uint64_t>(20000));
	std::vector<std::thread> threads;
	Seen seen(4 * 20000);

	for (auto &values : drawn) {
		threads.emplace_back([&values] {
			for (std::uint64_t &v : values)
				v = cprng_fast64();
		});
	}
	for (int i = 0; i < 20000; i++) {
		(void)cprng_fast64();
		REQUIRE_IN_CHILD(area.sequence == 0);
	}
	for (std::thread &t : threads)
		t.join();
	for (const auto &values : drawn) {
		// By chance: (8 * 10^4)^2 / 2^65.
		for (std::uint64_t v : values)
			REQUIRE_IN_CHILD(v != 0 && seen.insert(v));
	}
	cprng_invalidate();
	cprng_get_info(&info, sizeof(info));
	dprintf(STDOUT_FILENO, "registered by %s, placement %s",
		others ? "another runtime" : "the C library, if at all", info.placement);
	if (others) {
		REQUIRE_IN_CHILD(!first || std::strcmp(info.placement, "slots") == 0);
		REQUIRE_IN_CHILD(area.sequence == 0);
		// The registration still belongs to the other runtime.
		REQUIRE_IN_CHILD(call_rseq(&area, unregister) == 0);
	}
}

const scenario::Scenario taken("rseq: taken", [] { draw_with_an_area_of_another(true); });
const scenario::Scenario taken_later("rseq: taken, where another thread drew first",
				     [] { draw_with_an_area_of_another(false); });

} // namespace

// Catches a first draw served before the kernel's pool is ready.
TEST_CASE("kernel: early in the boot the first draw waits, and nothing is drawn before")
{
	scenario::check(boot);
	scenario::check(boot_strong);
	scenario::check(boot_unbuffered);
}

// Catches a request with GRND_NONBLOCK, GRND_RANDOM or GRND_INSECURE: the filter kills the process.
TEST_CASE("kernel: getrandom is asked without flags")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(), "sanitizers and emulators make calls of their own");
	scenario::check(no_flags);
	scenario::check(no_flags_by_call);
}

// Catches a request that stays incomplete after a signal ended it.
TEST_CASE("kernel: getrandom that signals cut short gives all that was asked for")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works() || machine::slow(), "no timers for threads, or the machine is too slow for them");
	scenario::check(interrupted);
}

// Catches a library that uses an area registered by another runtime.
TEST_CASE("kernel: restartable sequences that another runtime has registered are left alone")
{
	SKIP_IF(!machine::buffered() || machine::emulated(), "no buffers, or none to be registered");
	scenario::check(taken);
	scenario::check(taken_later);
}

// SPDX-License-Identifier: BSD-2-Clause
// Many threads, and their ends.
#include "../../support/run.hpp"
#include "../../support/faults.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

namespace {

// A thread with a small stack: a thousand default stacks would need 8 GiB of address space.
class Thread {
public:
	Thread(void *(*body)(void *), void *arg)
	{
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, 131072);
		made = pthread_create(&thread, &attributes, body, arg) == 0;
		pthread_attr_destroy(&attributes);
	}

	~Thread()
	{
		if (made)
			pthread_join(thread, nullptr);
	}

	Thread(const Thread &) = delete;
	Thread &operator=(const Thread &) = delete;

	pthread_t thread;
	bool made;
};

constexpr std::size_t each = 300;

struct Drawer {
	std::uint64_t values[each];
	pthread_barrier_t *all;
};

// All threads exist at each of the three times.
void *draw_with_the_others(void *arg)
{
	Drawer *d = static_cast<Drawer *>(arg);
	constexpr std::size_t third = each / 3;

	for (std::uint64_t *at = d->values; at < d->values + each; at += third) {
		pthread_barrier_wait(d->all);
		at[0] = cprng_fast64();
		cprng_fast(&at[1], 8 * sizeof(at[0]));
		cprng_fast(&at[9], (third - 10) * sizeof(at[0]));
		cprng_strong(&at[third - 1], sizeof(at[0]));
	}
	return nullptr;
}

} // namespace

// 3 * 10^5 values: false alarms 2 * 10^-9.
// Catches a limit on threads, and values that two of them receive.
TEST_CASE("threads: a thousand at once")
{
	const std::size_t wanted = machine::slow() ? 100 : 1000;
	std::vector<Drawer> drawers(wanted);
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, nullptr, static_cast<unsigned int>(wanted));
	{
		std::vector<std::unique_ptr<Thread>> threads;
		for (Drawer &d : drawers) {
			d.all = &barrier;
			threads.push_back(std::make_unique<Thread>(draw_with_the_others, &d));
			// The others would never stop waiting.
			if (!threads.back()->made) {
				std::fprintf(stderr, "%zu threads are unavailable\n", wanted);
				std::abort();
			}
		}
	}
	pthread_barrier_destroy(&barrier);
	Served served(wanted * each);
	for (const Drawer &d : drawers)
		served.add_all(d.values);
	CHECK(served.bad() == 0);
}

// ------------------------------------------------------------------------------------------------------ born and dead

namespace {

// Allocated bytes in the arena that all threads share, without its free ones.
std::size_t allocated()
{
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#endif
#endif
	return 0; // unknown: then only mappings are compared
}

void *draw_and_end(void *arg)
{
	unsigned char bytes[600];
	const unsigned long number = reinterpret_cast<unsigned long>(arg);

	(void)cprng_fast64();
	cprng_fast(bytes, number % sizeof(bytes));
	if (number % 16 == 0)
		cprng_strong(bytes, 32);
	if (number % 16 == 1)
		(void)cprng_add_entropy(1, bytes, 8, 1);
	if (number % 64 == 2)
		cprng_invalidate();
	if (number % 2 != 0)
		pthread_exit(nullptr);
	return nullptr;
}

// Creates threads as fast as possible, four at a time.
void come_and_go(unsigned long threads)
{
	std::vector<std::unique_ptr<Thread>> makers;
	static unsigned long share;

	share = threads / 4;
	for (int i = 0; i < 4; i++) {
		makers.push_back(std::make_unique<Thread>(
			[](void *) -> void * {
				for (unsigned long n = 0; n < share; n++) {
					const Thread t(draw_and_end, reinterpret_cast<void *>(n));
					REQUIRE_IN_CHILD(t.made);
				}
				return nullptr;
			},
			nullptr));
		REQUIRE_IN_CHILD(makers.back()->made);
	}
}

const scenario::Scenario churn("threads: born and dead", [] {
	unsigned char bytes[32];
	const unsigned long threads = machine::scaled(6000, 1000);

#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
	// The C library's caches for future threads, and Fortuna's pages.
	cprng_strong(bytes, sizeof(bytes));
	come_and_go(threads);
	const std::size_t before = allocated();
	const unsigned long calls = faults.mmap_calls;
	come_and_go(4 * threads);
	const std::size_t after = allocated();
	dprintf(STDOUT_FILENO, "%zu bytes allocated, then %zu after %lu threads more; %lu mappings, then %lu", before,
		after, 4 * threads, calls, faults.mmap_calls);
	// A leaking thread leaks at least 32 bytes; the C library caches a few stacks.
	REQUIRE_IN_CHILD(after <= before + 8 * threads);
	REQUIRE_IN_CHILD(faults.mmap_calls == calls);
});

} // namespace

// Catches memory or a mapping that each thread leaks.
TEST_CASE("threads: born and dead at a high rate, and nothing grows")
{
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "the memory is not the program's alone");
	scenario::check(churn);
}

namespace {

// The first thread has ended; the process continues and ends in another thread.
const scenario::Scenario without_main("threads: after the first", [] {
	static const pthread_t first = pthread_self();
	(void)cprng_fast64();
	std::thread([] {
		REQUIRE_IN_CHILD(pthread_join(first, nullptr) == 0);
		std::uint64_t sum = 0;
		for (int i = 0; i < 100000; i++)
			sum |= cprng_fast64();
		std::uint64_t strong = 0;
		cprng_strong(&strong, sizeof(strong));
		cprng_invalidate();
		_exit(sum == ~UINT64_C(0) && strong != 0 && cprng_fast64() != cprng_fast64() ? 0 : 1);
	}).detach();
	pthread_exit(nullptr);
});

} // namespace

// Catches a process that needs its first thread.
TEST_CASE("threads: the first of the process ends")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers do not survive it");
	scenario::check(without_main);
}

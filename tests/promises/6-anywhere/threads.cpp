// SPDX-License-Identifier: BSD-2-Clause
// Many threads, and the ends of threads.
#include "../../support/run.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

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

struct Drawing {
	std::uint64_t values[each];
	pthread_barrier_t *all;
};

// All threads exist at each of three points in time.
void *draw_with_the_others(void *arg)
{
	Drawing *d = static_cast<Drawing *>(arg);
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
// Catches a limit on the number of threads, and values that two threads receive.
TEST_CASE("threads: a thousand at once")
{
	const std::size_t wanted = machine::slow() ? 100 : 1000;
	std::vector<Drawing> drawers(wanted);
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, nullptr, static_cast<unsigned int>(wanted));
	{
		std::vector<std::unique_ptr<Thread>> threads;
		for (Drawing &d : drawers) {
			d.all = &barrier;
			threads.push_back(std::make_unique<Thread>(draw_with_the_others, &d));
			// Without the missing threads the others would wait without end.
			if (!threads.back()->made) {
				std::fprintf(stderr, "%zu threads are unavailable\n", wanted);
				std::abort();
			}
		}
	}
	pthread_barrier_destroy(&barrier);
	Served served(wanted * each);
	for (const Drawing &d : drawers)
		served.add_all(d.values);
	CHECK(served.bad() == 0);
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

// Catches a library that needs the process's first thread.
TEST_CASE("threads: the first of the process ends")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers do not survive the end of the first thread");
	scenario::check(without_main);
}

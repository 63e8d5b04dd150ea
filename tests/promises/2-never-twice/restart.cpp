// SPDX-License-Identifier: BSD-2-Clause
// A draw happens entirely or not at all: more threads than CPUs, signals whose handlers draw, and migrations.  No value
// is a zero served from an erased buffer, and none is served twice.
#include "../../support/run.hpp"
#include "../../support/statistics.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/repeats.hpp"

#include "cprng/cprng.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <pthread.h>

namespace {

constexpr std::size_t threads = 8;

// All values of a round are compared with each other.  No draw extends past the end of its round.  So if an interrupted
// sequence serves a value twice, both copies are in the same round, however long a thread was preempted.
constexpr std::size_t round_size = 1000000;

// One thread's draws in a round: outside handlers, and in its signal handlers, in order.
struct Haul {
	std::vector<std::uint64_t> open, handled;
	std::size_t opened = 0, taken = 0; // how many of them

	void put_open(std::uint64_t v)
	{
		if (opened < open.size())
			open[opened++] = v;
	}

	void put_handled(std::uint64_t v)
	{
		if (taken < handled.size())
			handled[taken++] = v;
	}
};

struct Worker {
	Haul haul;
	pid_t id = 0;
	std::uint64_t signals = 0, cuts = 0;
	void (*draw_in_handler)(Haul &haul) = nullptr;
};

using Workers = std::array<Worker, threads>;

struct Plan {
	std::size_t rounds;
	std::size_t per_round;    // values that each thread draws outside handlers
	void (*draw)(Haul &haul); // appends one or more values
	void (*draw_in_handler)(Haul &haul);

	// The number of values that fit into a haul.
	std::size_t most_handled() const
	{
		return per_round / 8 + 4096;
	}

	std::size_t most_of_a_round() const
	{
		return threads * (per_round + most_handled());
	}
};

thread_local Worker *this_worker;

void in_handler(bool cut)
{
	Worker *w = this_worker;

	w->signals++;
	w->cuts += cut;
	w->draw_in_handler(w->haul);
}

// One thread of this plan.  All threads and the judge meet before and after each round.
void work(Worker *w, const Plan &plan, pthread_barrier_t *all)
{
	w->id = machine::thread_id();
	w->haul.open.resize(plan.per_round);
	w->haul.handled.resize(plan.most_handled());
	w->draw_in_handler = plan.draw_in_handler;
	this_worker = w;
	frequent_signals::set_handler(in_handler);
	frequent_signals::Timer timer;
	for (std::size_t round = 0; round < plan.rounds; round++) {
		w->haul.opened = w->haul.taken = 0;
		pthread_barrier_wait(all);
		timer.start(frequent_signals::interval());
		while (w->haul.opened < plan.per_round)
			plan.draw(w->haul);
		timer.stop();
		pthread_barrier_wait(all);
		pthread_barrier_wait(all);
	}
	frequent_signals::set_handler(nullptr);
}

// Moves the threads between CPUs at random.
void migrate(const Workers &workers, const std::atomic<bool> &over)
{
	run::Random random("migrations");
	const std::vector<int> &cpus = machine::cpus();

	while (cpus.size() > 1 && !over) {
		machine::pin(workers[random.below(threads)].id, cpus[random.below(cpus.size())]);
		std::this_thread::sleep_for(std::chrono::microseconds(20));
	}
}

void check_cuts(const Workers &workers)
{
	std::uint64_t signals = 0, cuts = 0;

	for (const Worker &w : workers) {
		signals += w.signals;
		cuts += w.cuts;
	}
	MESSAGE(signals << " signals, of which " << cuts << " cut a restartable sequence");
	if (!machine::per_cpu())
		CHECK(cuts == 0);
	// Without such hits the test proves nothing.  Signals hit a sequence in proportion to the CPU time spent in it, however
	// busy the machine is: among this many signals, at least one does.
	else if (signals > 20000)
		CHECK(cuts > 0);
	else if (cuts == 0)
		SKIPPED("too few signals to cut a draw");
}

// The judge is called after each round, while no thread draws.
void run_rounds(const Plan &plan, const std::function<void(const Workers &)> &judge)
{
	Workers workers;
	std::vector<std::thread> drawing;
	pthread_barrier_t all;

	pthread_barrier_init(&all, nullptr, static_cast<unsigned int>(threads) + 1);
	for (Worker &w : workers)
		drawing.emplace_back(work, &w, std::cref(plan), &all);
	for (std::size_t round = 0; round < plan.rounds; round++) {
		std::atomic<bool> over{ false };
		pthread_barrier_wait(&all);
		std::thread mover(migrate, std::cref(workers), std::cref(over));
		pthread_barrier_wait(&all);
		over = true;
		mover.join();
		judge(workers);
		pthread_barrier_wait(&all);
	}
	for (std::thread &t : drawing)
		t.join();
	pthread_barrier_destroy(&all);
	check_cuts(workers);
}

// All values of a round must differ, and none may be 0.
void check_distinct(const Plan &plan)
{
	Served served(plan.most_of_a_round());

	run_rounds(plan, [&served](const Workers &workers) {
		served.forget();
		for (const Worker &w : workers) {
			served.add(w.haul.open, w.haul.opened);
			served.add(w.haul.handled, w.haul.taken);
		}
	});
	CHECK(served.zeros == 0);
	CHECK(served.repeats == 0);
}

double wanted()
{
	const char *text = std::getenv("CPRNG_DRAWS");

	return text != nullptr ? std::strtod(text, nullptr) : static_cast<double>(machine::scaled(1e8));
}

Plan plan_for(double values, void (*draw)(Haul &), void (*in_handler)(Haul &))
{
	Plan plan = {};

	plan.per_round = static_cast<std::size_t>(std::min<double>(values, round_size)) / threads;
	plan.rounds = static_cast<std::size_t>(values / static_cast<double>(plan.per_round * threads)) + 1;
	plan.draw = draw;
	plan.draw_in_handler = in_handler;
	return plan;
}

} // namespace

// A repeat by chance of 64-bit values in a round of 1.1 million has probability 2^-45 * 1.1 = 3 * 10^-8, so in any of 6
// rounds 2^-22; in the 60 of the whole volume 2^-19.  A zero: 2^-40, and 2^-37.
// Catches an inlined draw that serves another draw's bytes: its sequence is not restarted, or commits in two steps.
TEST_CASE("restart: 64-bit draws")
{
	auto draw = [](Haul &h) { h.put_open(cprng_fast64()); };
	auto in_handler = [](Haul &h) {
		h.put_handled(cprng_fast64());
		h.put_handled(cprng_fast64());
	};

	check_distinct(plan_for(0.6 * wanted(), draw, in_handler));
}

// Catches the same error in the library's own functions.
TEST_CASE("restart: 64-bit draws that are not inlined")
{
	auto draw = [](Haul &h) { h.put_open(outline::fast64()); };
	auto in_handler = [](Haul &h) { h.put_handled(outline::fast64()); };

	check_distinct(plan_for(0.1 * wanted(), draw, in_handler));
}

// Here values repeat by chance.  They are compared within slices of the round, in each of which all threads drew about
// 65536 values at about the same time; the number of repeats is Poisson.
// Catches the same error with narrower words: more repeats or zeros than expected.
TEST_CASE("restart: 32-bit draws")
{
	std::size_t slices = 64;
	double expected_repeats = 0, values = 0;
	auto draw = [](Haul &h) { h.put_open(cprng_fast32()); };
	auto in_handler = [](Haul &h) {
		h.put_handled(cprng_fast32());
		h.put_handled(cprng_fast32());
	};
	const Plan plan = plan_for(0.4 * wanted(), draw, in_handler);
	Served served(plan.most_of_a_round() / slices + 4096);

	auto add = [&](const std::vector<std::uint64_t> &v, std::size_t n, std::size_t slice) {
		const std::size_t begin = n * slice / slices, count = n * (slice + 1) / slices - begin;
		served.add(&v[begin], count);
		return static_cast<double>(count);
	};
	run_rounds(plan, [&](const Workers &workers) {
		for (std::size_t slice = 0; slice < slices; slice++) {
			double n = 0;
			served.forget();
			for (const Worker &w : workers)
				n += add(w.haul.open, w.haul.opened, slice) + add(w.haul.handled, w.haul.taken, slice);
			values += n;
			expected_repeats += n * (n - 1) / 2 / 4294967296.0;
		}
	});

	// P(at least n) is the lower incomplete gamma function P(n, expected).
	const double expected_zeros = values / 4294967296.0;
	const std::size_t zeros = served.zeros, repeats = served.repeats;
	INFO(values << " values, " << zeros << " zeros of " << expected_zeros << " expected, " << repeats
		    << " repeats of " << expected_repeats << " expected");
	CHECK((zeros == 0 || 1 - statistics::upper_gamma(static_cast<double>(zeros), expected_zeros) > 1e-8));
	CHECK((repeats == 0 || 1 - statistics::upper_gamma(static_cast<double>(repeats), expected_repeats) > 1e-8));
}

namespace {

// A small generator for the choice of the next request; not under test.
std::uint32_t step(std::uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

// Keeps the 8-byte windows of an output, at every offset, whose first four bits are zero.  Choosing by content keeps
// both copies of a repeated run, whatever their alignment.
template <typename Put> void sample(const unsigned char *p, std::size_t len, Put put)
{
	for (std::size_t i = 0; i + 8 <= len; i++) {
		const std::uint64_t v = window_at(p + i);
		if ((v & 15) == 0)
			put(v);
	}
}

std::size_t draw_some(unsigned char *buf, std::uint32_t random)
{
	const std::size_t len = random % 512 + 1;
	const std::uint64_t v = random >> 9 & 1 ? cprng_fast64() : 0;

	// Draw a number between the byte requests, so that these begin at any alignment in the buffer.
	if (v == 0 && random >> 10 & 1)
		(void)cprng_fast8();
	std::memset(buf, 0, len);
	// Also with sizes known at compile time.
	if ((random >> 11 & 7) == 0) {
		cprng_fast(buf, 24);
		return 24;
	}
	if ((random >> 11 & 7) == 1) {
		cprng_fast(buf, 61);
		return 61;
	}
	cprng_fast(buf, len);
	return len;
}

thread_local std::uint32_t open_state = 1, handler_state = 2;

} // namespace

// Two of n kept windows are the same by chance with probability n^2 / 2^61 (their four bits agree).  In a round of 2.8
// * 10^5, from 8 threads, that is 2^-25; in one of 8 rounds 2^-22, of the 80 of the whole volume 2^-19.
// Catches interrupted pops, pushes and refills, of any length, that happen twice or only in part.
TEST_CASE("restart: draws of 1 to 512 bytes")
{
	auto draw = [](Haul &h) {
		unsigned char buf[512];
		const std::size_t len = draw_some(buf, step(&open_state));
		sample(buf, len, [&h](std::uint64_t v) { h.put_open(v); });
	};
	auto in_handler = [](Haul &h) {
		unsigned char buf[512];
		const std::size_t len = draw_some(buf, step(&handler_state));
		sample(buf, len, [&h](std::uint64_t v) { h.put_handled(v); });
	};
	Plan plan = plan_for(static_cast<double>(machine::scaled(2e7, 100000)), draw, in_handler);
	plan.per_round = std::min<std::size_t>(plan.per_round, 30000);
	plan.rounds = std::max<std::size_t>(1, machine::scaled(80));
	check_distinct(plan);
}

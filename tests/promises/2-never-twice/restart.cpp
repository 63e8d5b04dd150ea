// SPDX-License-Identifier: BSD-2-Clause
// A draw happens entirely or not at all: more threads than CPUs, signals whose handlers draw, and migrations.  No value
// is a zero served from an erased buffer, and none is served twice.
#include "../../support/run.hpp"
#include "../../support/statistics.hpp"
#include "../../support/thread_rounds.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/repeats.hpp"

#include "cprng/cprng.h"

#include <algorithm>
#include <cstdlib>

namespace {

constexpr std::size_t threads = 8;

// All values of a round are compared with each other.  No draw extends past a round's end, so if an interrupted
// sequence serves a value twice, both copies fall into one round, however long a thread was preempted.
constexpr std::size_t round_size = 1000000;

double wanted()
{
	const char *text = std::getenv("CPRNG_DRAWS");

	return text != nullptr ? std::strtod(text, nullptr) : static_cast<double>(machine::scaled(1e8));
}

void check_cuts(const thread_rounds::Totals &totals)
{
	MESSAGE(totals.values << " values, " << totals.signals << " signals, of which " << totals.cuts
			      << " cut a restartable sequence");
	if (!machine::per_cpu())
		CHECK(totals.cuts == 0);
	// Without these events the test would show nothing.  Signals hit a sequence in proportion to the computing time
	// spent there, however busy the machine is: among this many, at least one does.
	else if (totals.signals > 20000)
		CHECK(totals.cuts > 0);
	else if (totals.cuts == 0)
		SKIPPED("too few signals to cut a draw");
}

thread_rounds::Plan plan_for(double values, void (*draw)(thread_rounds::Haul &),
			     void (*in_handler)(thread_rounds::Haul &))
{
	thread_rounds::Plan plan;

	plan.threads = threads;
	plan.per_round = static_cast<std::size_t>(std::min<double>(values, round_size)) / threads;
	plan.rounds = static_cast<std::size_t>(values / static_cast<double>(plan.per_round * threads)) + 1;
	plan.draw = draw;
	plan.draw_in_handler = in_handler;
	return plan;
}

// 64-bit values.  A repeat by chance in a round of 1.1 million has probability 2^-45 * 1.1 = 3 * 10^-8, so in any of 6
// rounds 2^-22; in the 60 of the whole volume 2^-19.  A zero: 2^-40, and 2^-37.
void check_64(const thread_rounds::Plan &plan)
{
	check_cuts(thread_rounds::check_distinct(plan));
}

} // namespace

// Catches an inlined draw that serves another draw's bytes: a sequence that is not restarted, or commits in two steps.
TEST_CASE("restart: 64-bit draws")
{
	auto draw = [](thread_rounds::Haul &h) { h.put_open(cprng_fast64()); };
	auto in_handler = [](thread_rounds::Haul &h) {
		h.put_handled(cprng_fast64());
		h.put_handled(cprng_fast64());
	};

	check_64(plan_for(0.6 * wanted(), draw, in_handler));
}

// Catches the same in the library's functions.
TEST_CASE("restart: 64-bit draws that are not inlined")
{
	auto draw = [](thread_rounds::Haul &h) { h.put_open(outline::fast64()); };
	auto in_handler = [](thread_rounds::Haul &h) { h.put_handled(outline::fast64()); };

	check_64(plan_for(0.1 * wanted(), draw, in_handler));
}

// Here values repeat by chance.  They are compared within slices of the round, in each of which all threads drew about
// 65536 values at about the same time; the number of repeats is Poisson.
// Catches the same for narrower words, by more repeats or zeros than expected.
TEST_CASE("restart: 32-bit draws")
{
	std::size_t slices = 64;
	double expected_repeats = 0, values = 0;
	auto draw = [](thread_rounds::Haul &h) { h.put_open(cprng_fast32()); };
	auto in_handler = [](thread_rounds::Haul &h) {
		h.put_handled(cprng_fast32());
		h.put_handled(cprng_fast32());
	};
	thread_rounds::Plan plan = plan_for(0.4 * wanted(), draw, in_handler);
	Served served(thread_rounds::most_of_a_round(plan) / slices + 4096);

	auto add = [&](const std::vector<std::uint64_t> &v, std::size_t n, std::size_t slice) {
		const std::size_t begin = n * slice / slices, count = n * (slice + 1) / slices - begin;
		served.add(&v[begin], count);
		return static_cast<double>(count);
	};
	plan.judge = [&](std::vector<thread_rounds::Haul> &hauls) {
		for (std::size_t slice = 0; slice < slices; slice++) {
			double n = 0;
			served.forget();
			for (const thread_rounds::Haul &h : hauls)
				n += add(h.open, h.opened, slice) + add(h.handled, h.taken, slice);
			values += n;
			expected_repeats += n * (n - 1) / 2 / 4294967296.0;
		}
	};
	check_cuts(thread_rounds::run(plan));

	// P(at least n) is the lower incomplete gamma function P(n, expected).
	const double expected_zeros = values / 4294967296.0;
	const std::size_t zeros = served.zeros, repeats = served.repeats;
	INFO(values << " values, " << zeros << " zeros of " << expected_zeros << " expected, " << repeats
		    << " repeats of " << expected_repeats << " expected");
	if (zeros > 0)
		CHECK(1 - statistics::upper_gamma(static_cast<double>(zeros), expected_zeros) > 1e-8);
	if (repeats > 0)
		CHECK(1 - statistics::upper_gamma(static_cast<double>(repeats), expected_repeats) > 1e-8);
}

namespace {

// A small generator for the choice of the next request; not under test.
std::uint32_t step(std::uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

// Keeps those 8-byte windows of an output, at every offset, whose first four bits are zero: a choice by content, so
// that both copies of a repeated run are kept whatever their alignment.
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

	// A number between the byte requests, so that these begin at any alignment in the buffer.
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
// Catches interrupted pops, pushes and refills of any length that are done twice or in part.
TEST_CASE("restart: draws of 1 to 512 bytes")
{
	auto draw = [](thread_rounds::Haul &h) {
		unsigned char buf[512];
		const std::size_t len = draw_some(buf, step(&open_state));
		sample(buf, len, [&h](std::uint64_t v) { h.put_open(v); });
	};
	auto in_handler = [](thread_rounds::Haul &h) {
		unsigned char buf[512];
		const std::size_t len = draw_some(buf, step(&handler_state));
		sample(buf, len, [&h](std::uint64_t v) { h.put_handled(v); });
	};
	thread_rounds::Plan plan = plan_for(static_cast<double>(machine::scaled(2e7, 100000)), draw, in_handler);
	plan.per_round = std::min<std::size_t>(plan.per_round, 30000);
	plan.rounds = std::max<std::size_t>(1, machine::scaled(80));
	check_cuts(thread_rounds::check_distinct(plan));
}

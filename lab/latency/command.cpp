// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab latency.
#include <deque>
#include <memory>

#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/clock.hpp"
#include "latency.hpp"

namespace lab {

namespace {

constexpr const char *names[] = { "nothing",        "arc4-mtx",        "arc4-spin",      "arc4-nomtx",
				  "arc4-thread",    "arc4-percpu",     "hc128-percpu",   "hc128-inline",
				  "salsa20-percpu", "chacha20-percpu", "chacha8-percpu", "cprng" };

// Timed draws in a second, of a fast generator.
constexpr double draws_a_second = 4e6;

// Taylor R. Campbell, "Re: cprng_fast implementation benchmarks", NetBSD's tech-crypto, 20 April 2014.
void tell_origin(report &to)
{
	table t("latency_2014",
		"The figures of April 2014: Salsa20 or ChaCha with one block of buffer, Ivy Bridge i7 laptop",
		{ { "what", "" }, { "value", "" }, { "unit", "" } });
	t.add({ word("bulk"), whole(4), word("cycles a byte, about") });
	t.add({ word("cprng_fast32, average"), whole(50), word("cycles, about") });
	t.add({ word("cprng_fast32, maximum"), whole(300), word("cycles, about") });
	t.add({ word("the entire state"), whole(2), word("cache lines of 64 bytes") });
	t.draw_nothing();
	t.note("Not measured here: a mockup in a program, described in tech-crypto without the number of rounds.");
	to.add(t, nullptr);
}

} // namespace

void measure_latency(const run_options &chosen, report &to)
{
	const auto draws = static_cast<std::uint64_t>(draws_a_second * chosen.seconds);
	to.settings()["draws"] = draws;
	std::deque<latency::row> rows;
	schedule all;
	for (const char *name : names) {
		latency::row &r = rows.emplace_back(name, draws);
		all.add_kept(chosen.seconds, [&r] { r.run(); });
	}
	all.run(chosen.repetitions);

	table t("latency", fmt::format("A draw of 32 bits in {}", cycles_name()),
		{ { "row", "row" },
		  { "mean", "mean in\na loop" },
		  { "bulk", "bulk,\na byte" },
		  { "own_p50", "own\np50" },
		  { "own_p99", "\np99" },
		  { "own_p99.9", "\np99.9" },
		  { "own_p99.999", "\np99.999" },
		  { "own_max", "\nmax" },
		  { "came_p50", "as it came\np50" },
		  { "came_p99", "\np99" },
		  { "came_p99.9", "\np99.9" },
		  { "came_p99.999", "\np99.999" },
		  { "came_max", "\nmax" },
		  { "state_bytes", "bytes of\nstate" },
		  { "state_lines", "\nlines" },
		  { "written_lines", "lines\nwritten" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const latency::row &r : rows) {
		r.tell(t);
		for (const auto &one : r.repetitions())
			raw.push_back(one);
	}
	t.note(fmt::format(
		"Each of {} draws was timed by itself, and all of them again in every repetition from the same state on.  Own is\n"
		"the least of the repetitions for each draw: interruptions by the system do not strike the same draw each time,\n"
		"refills do.  As it came is all of them together.  The row of nothing is what the readings of the clock cost,\n"
		"which is in all others; the counter goes in steps of {}.  The mean is that of a loop without readings.",
		draws, rows.front().all().step()));
	t.note("Lines are of 64 bytes; written are the lines that 1000 draws changed in the states of all CPUs.  cprng takes "
	       "fresh bytes\nof the kernel at every 16th refill, which is in its own maximum, and at the first refill after a "
	       "second, which is not.\nPercentiles are exact, of counters for each number of cycles.");
	t.draw({ plot::axis::categories, "row", { "mean" }, "cycles a draw in a loop" });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "own_p50", "own_p99", "own_p99.9", "own_p99.999", "own_max" },
		 "cycles, own" });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "came_p50", "came_p99", "came_p99.9", "came_p99.999", "came_max" },
		 "cycles, as it came" });
	to.add(t, raw);
	tell_origin(to);
}

} // namespace lab

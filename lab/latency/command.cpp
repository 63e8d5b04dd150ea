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

// The rate of timed draws of a fast generator.
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
	t.note("Not measured here: a mockup in a program, described in tech-crypto without the number of rounds.");
	to.add(t, nullptr);
}

void tell_undisturbed(const std::deque<latency::row> &rows, report &to)
{
	table t("latency_undisturbed",
		fmt::format("The draws during which the scheduler did not take the CPU away, in {}", cycles_name()),
		{ { "row", "row" },
		  { "draws", "draws\ntimed" },
		  { "left_out", "left\nout" },
		  { "p50", "undisturbed\np50" },
		  { "p99", "undisturbed\np99" },
		  { "p99.9", "undisturbed\np99.9" },
		  { "p99.999", "undisturbed\np99.999" },
		  { "max", "undisturbed\nmax" },
		  { "more_p50", "more than\nof nothing\np50" },
		  { "more_p99", "more than\nof nothing\np99" },
		  { "more_p99.9", "more than\nof nothing\np99.9" },
		  { "more_p99.999", "more than\nof nothing\np99.999" },
		  { "more_max", "more than\nof nothing\nmax" } });
	for (const latency::row &r : rows)
		r.tell_undisturbed(t, rows.front());
	t.note("Draws as they came, in batches of 16384; a batch in which the thread's count of involuntary context switches\n"
	       "changed is left out, and so are the first 8 draws of each.  Interrupts, and a hypervisor that runs another guest,\n"
	       "do not change that count and are in these figures, those of nothing too: what is more than of nothing is the\n"
	       "draw's, as far as a difference of two percentiles is one.");
	t.draw({ plot::axis::percentiles,
		 "",
		 { "p50", "p99", "p99.9", "p99.999", "max" },
		 fmt::format("{}, undisturbed", cycles_unit()) });
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

	const std::string least_of = fmt::format("least of {}", chosen.repetitions);
	table t("latency", fmt::format("A draw of 32 bits in {}", cycles_name()),
		{ { "row", "row" },
		  { "mean", "mean in a loop\ncalled" },
		  { "mean_inlined", "mean in a loop\ninlined" },
		  { "bulk", "bulk,\na byte" },
		  { "own_p50", least_of + "\np50" },
		  { "own_p99", least_of + "\np99" },
		  { "own_p99.9", least_of + "\np99.9" },
		  { "own_p99.999", least_of + "\np99.999" },
		  { "own_max", least_of + "\nmax" },
		  { "came_p50", "as it came\np50" },
		  { "came_p99", "as it came\np99" },
		  { "came_p99.9", "as it came\np99.9" },
		  { "came_p99.999", "as it came\np99.999" },
		  { "came_max", "as it came\nmax" },
		  { "state_bytes", "state\nbytes" },
		  { "state_lines", "state\nlines" },
		  { "written_lines", "lines\nwritten" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const latency::row &r : rows) {
		r.tell(t);
		for (const auto &one : r.repetitions())
			raw.push_back(one);
	}
	t.note(fmt::format(
		"Each of {} draws was timed by itself, and all of them again in every repetition from the same state on.  Least\n"
		"of {} is the least of the repetitions for each draw: interruptions by the system do not strike the same draw each\n"
		"time, refills do.  It is no time that a program sees: that is as it came, all of them together.  The row of nothing\n"
		"is what the readings of the clock and a call cost, which is in all others; the counter goes in steps of {}.  The\n"
		"mean is that of a loop without readings, of draws that are called and of draws that are inlined; all else is called.",
		draws, chosen.repetitions, rows.front().all().step()));
	t.note("Lines are of 64 bytes; written are the lines that 1000 draws changed in the states of all CPUs.  cprng takes "
	       "fresh bytes\nof the kernel at every 16th refill, which is in its own maximum, and at the first refill after a "
	       "second, which is not.\nPercentiles are exact, of counters for each number of ticks.");
	t.draw({ plot::axis::categories,
		 "row",
		 { "mean", "mean_inlined" },
		 fmt::format("{} a draw in a loop", cycles_unit()) });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "own_p50", "own_p99", "own_p99.9", "own_p99.999", "own_max" },
		 fmt::format("{}, least of {}", cycles_unit(), chosen.repetitions) });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "came_p50", "came_p99", "came_p99.9", "came_p99.999", "came_max" },
		 fmt::format("{}, as it came", cycles_unit()) });
	to.add(t, raw);
	tell_undisturbed(rows, to);
	tell_origin(to);
	to.add_others(all);
}

} // namespace lab

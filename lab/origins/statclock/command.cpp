// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab statclock: may the statistical clock's handler draw from a cryptographic generator?
#include <memory>

#include <fmt/format.h>

#include "../../commands.hpp"
#include "../../common/clock.hpp"
#include "statclock.hpp"

namespace lab {

namespace {

constexpr const char *generator_names[] = { "nothing",     "lcg-percpu",      "lfsr-percpu",    "xoshiro-percpu",
					    "arc4-percpu", "chacha20-percpu", "chacha8-percpu", "cprng" };
constexpr const char *simple = "lcg-percpu", *cryptographic = "cprng";

// Long enough for more than a hundred interrupts.
constexpr double seconds_least = 0.05;

// The rate of FreeBSD's and NetBSD's statistical clocks.
constexpr double clock_hz = 128;

double cycles(double ns)
{
	return ns / ns_per_tick();
}

const statclock::row &find(const std::deque<statclock::row> &rows, std::string_view name)
{
	for (const statclock::row &r : rows)
		if (name == r.name())
			return r;
	return rows.front();
}

// A sentence per question, and the conclusion.
std::string decide(const std::deque<statclock::row> &rows)
{
	const distribution none = find(rows, "nothing").draw(), lcg = find(rows, simple).draw(),
			   own = find(rows, cryptographic).draw();
	if (own.count == 0 || lcg.count == 0 || none.count == 0)
		return "Nothing was measured: no decision.";
	const double part = own.mean * clock_hz * 1e-9 * 100, part_of_nothing = none.mean * clock_hz * 1e-9 * 100;
	const bool typical = cycles(own.p50) <= statclock::cycles_too_long,
		   nearly_all = cycles(own.p99) <= statclock::cycles_too_long;
	std::string text = fmt::format(
		"In the timer's interrupts a draw of the library takes {:.0f} at the median and {:.0f} at the 99th percentile, "
		"an LCG\n{:.0f} and {:.0f}, nothing at all {:.0f} and {:.0f} ({}).  By their means, {:.0f} of the library's draws a "
		"second are {:.5f} %\nof a CPU, with the readings of the clock; these alone are {:.5f} %.\n",
		cycles(own.p50), cycles(own.p99), cycles(lcg.p50), cycles(lcg.p99), cycles(none.p50), cycles(none.p99),
		cycles_name(), clock_hz, part, part_of_nothing);
	if (!ticks_are_cycles())
		text += fmt::format(
			"No decision: the bound of the question is {:.0f} cycles, and this machine has no counter of cycles "
			"that the\nlab may use.",
			statclock::cycles_too_long);
	else if (nearly_all)
		text += fmt::format(
			"Decision: the cryptographic draw.  It stays below the {:.0f} cycles that the question names, "
			"and the clock\nneeds no generator of its own.",
			statclock::cycles_too_long);
	else if (typical)
		text += fmt::format(
			"Decision: the cryptographic draw, if one in a hundred may take longer than the {:.0f} cycles "
			"that the question\nnames; a bound that must hold is kept by an LCG.",
			statclock::cycles_too_long);
	else
		text += fmt::format(
			"Decision: an LCG for the clock.  On this machine a cryptographic draw takes longer than the "
			"{:.0f} cycles that the\nquestion names, in most interrupts.",
			statclock::cycles_too_long);
	return text;
}

void report_handlers(const std::deque<statclock::row> &rows, report &to)
{
	table t("statclock", fmt::format("A draw of 32 bits in a signal handler, in {}", cycles_name()),
		{ { "row", "row" },
		  { "warm_p50", "signals in a row\np50" },
		  { "warm_p99", "signals in a row\np99" },
		  { "warm_p99.9", "signals in a row\np99.9" },
		  { "timer_p50", "a timer's\np50" },
		  { "timer_p99", "a timer's\np99" },
		  { "timer_p99.9", "a timer's\np99.9" },
		  { "timer_max", "a timer's\nmax" },
		  { "mean_timer", "a timer's\nmean" },
		  { "handler_p50", "handler\np50" },
		  { "interrupts", "inter-\nrupts" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const statclock::row &r : rows) {
		const distribution warm = r.warm(), draw = r.draw(), handler = r.handler();
		// Empty if there are fewer events, of which one is beyond the percentile.
		const auto cell_of = [](const distribution &d, double ns, std::size_t least) {
			return d.count >= least ? number(cycles(ns)) : nothing();
		};
		t.add({ word(r.name()), cell_of(warm, warm.p50, 1), cell_of(warm, warm.p99, 100),
			cell_of(warm, warm.p999, 1000), cell_of(draw, draw.p50, 1), cell_of(draw, draw.p99, 100),
			cell_of(draw, draw.p999, 1000), cell_of(draw, draw.most, 1), cell_of(draw, draw.mean, 1),
			cell_of(handler, handler.p50, 1), whole(draw.count) });
		for (const statclock::repetition &one : r.results())
			raw.push_back({ { "row", r.name() },
					{ "warm", to_json(one.warm) },
					{ "timer", to_json(one.draw) },
					{ "handler", to_json(one.handler) },
					{ "interval_ns", one.interval_ns } });
	}
	t.note("The row nothing is the cost of reading the clock, which all rows include.  A timer interrupts a workload of\n"
	       "256 KiB at random intervals, so that the handler's lines and branches are out of caches and predictors.  Maximum\n"
	       "and mean include interruptions of the handler by the system, also in the row nothing.  The intervals are the same\n"
	       "for all rows.  The handler sets the timer again by a system call; a kernel's handler writes to a register.");
	t.draw({ plot::axis::percentiles,
		 "",
		 { "timer_p50", "timer_p99", "timer_p99.9", "timer_max" },
		 fmt::format("{}, a timer's", cycles_unit()) });
	to.add(t, raw);
}

void report_question(report &to)
{
	table o("statclock_2014", "The question of April 2014: cprng_fast and interrupts",
		{ { "what", "" }, { "value", "" }, { "unit", "" } });
	o.add({ word("\"too long to block interrupts?\""),
		whole(static_cast<std::uint64_t>(statclock::cycles_too_long)),
		word("cycles, a number to ask about; no machine is named") });
	o.note("Not measured there: \"the statclock interrupt handler may be adequately serviced by an LCG or LFSR too\".");
	to.add(o, nullptr);
}

} // namespace

void measure_statclock(const run_options &chosen, report &to)
{
	const double seconds = std::max(chosen.seconds, seconds_least);
	to.settings()["interrupts_a_second"] = statclock::interrupts_a_second;
	to.settings()["seconds_each"] = seconds;
	std::deque<statclock::row> rows;
	schedule all;
	for (const char *name : generator_names) {
		statclock::row &r = rows.emplace_back(name);
		all.add_kept(seconds, [&r, seconds] { r.run(seconds); });
	}
	all.run(chosen.repetitions);
	report_handlers(rows, to);
	report_question(to);
	to.add_text("statclock_decision", decide(rows));
	to.add_others(all);
}

} // namespace lab

// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab latency.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "../../commands.hpp"
#include "../../common/clock.hpp"
#include "../../common/tally.hpp"
#include "../placements/cost.hpp"
#include "../placements/generators.hpp"

namespace lab {

namespace latency {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t bulk = 65536;
constexpr std::uint64_t bulks_of_a_batch = 1;
// The volume of the loops, relative to the timed draws.
constexpr double part_of_bulk = 0.1;
// The number of draws between a key and the timing: several blocks of every cipher.
constexpr std::uint64_t before = 100;

struct repetition {
	double draw, inlined, bulk_byte; // mean ticks in loops: called draws, inlined draws, bulk bytes
};

class row {
public:
	row(const char *name, std::uint64_t draws);

	void run();

	void report_to(table &t) const;

	// Percentiles of undisturbed draws, in ticks above those of an empty draw.
	void report_undisturbed(table &t, const row &none) const;

	const tally &all() const
	{
		return all_;
	}

	nlohmann::ordered_json repetitions() const;

private:
	void count_lines();

	const generator_info &info_;
	std::unique_ptr<generator> generator_, inlined_;
	std::vector<repetition> results_;
	// For draw number n the minimum over all repetitions, and all values in order.
	std::vector<std::uint32_t> least_;
	tally all_, undisturbed_;
	std::size_t lines_written_ = 0;
};

row::row(const char *name, std::uint64_t draws)
    : info_(find_generator(name)), generator_(info_.make(0, no_limit)), inlined_(info_.make_inlined(0, no_limit)),
      least_(draws, UINT32_MAX)
{
	count_lines();
}

// Each repetition makes the same draws after the same key.  Draw number n then always does the same work, and any extra
// time is the system's.
void row::run()
{
	const stay_here on_one_cpu; // other CPUs' states are at other positions
	repetition done = {};
	in_turn(2, results_.size(), [&](std::size_t which) {
		(which == 0 ? done.draw : done.inlined) =
			ticks_of_draw(*(which == 0 ? generator_ : inlined_), least_.size());
	});
	alignas(line) static unsigned char buf[bulk];
	undisturbed all;
	const auto batches =
		static_cast<std::uint64_t>(static_cast<double>(least_.size()) * 4 * part_of_bulk / bulk) + 1;
	for (std::uint64_t i = 0; i < batches; i++)
		all.batch([this] { generator_->fill(buf, sizeof(buf), bulks_of_a_batch); });
	done.bulk_byte = all.mean() / sizeof(buf);
	if (interrupted())
		return;
	generator_->restart();
	generator_->draw(before);
	generator_->time(least_.size(), least_.data(), all_, undisturbed_);
	results_.push_back(done);
}

// The cache lines of the states that 1000 draws changed.
void row::count_lines()
{
	const stay_here on_one_cpu;
	generator_->draw(before);
	const memory_of memory = generator_->memory();
	if (memory.begin == nullptr)
		return;
	std::vector<unsigned char> copy(memory.size);
	std::memcpy(copy.data(), memory.begin, memory.size);
	generator_->draw(draws_of_a_batch);
	const auto *now = static_cast<const unsigned char *>(memory.begin);
	for (std::size_t at = 0; at < memory.size; at += line)
		lines_written_ += std::memcmp(copy.data() + at, now + at, std::min(line, memory.size - at)) != 0;
}

// Whether at least one time is beyond the percentile: the 99.9th takes 1000.
bool has(const tally &times, double part)
{
	return times.count() != 0 && (part == 1 || static_cast<double>(times.count()) * (1 - part) >= 1);
}

void row::report_to(table &t) const
{
	const bool draws_at_all = std::strcmp(info_.name, "nothing") != 0;
	tally own;
	for (const std::uint32_t ticks : least_)
		if (ticks != UINT32_MAX)
			own.add(ticks);
	std::vector<cell> cells = { word(info_.name), measured(values_of(results_, &repetition::draw)),
				    measured(values_of(results_, &repetition::inlined)),
				    draws_at_all ? measured(values_of(results_, &repetition::bulk_byte)) : nothing() };
	for (const tally *one : { static_cast<const tally *>(&own), &all_ })
		for (const double part : { 0.5, 0.99, 0.999, 0.99999, 1.0 })
			cells.push_back(has(*one, part) ? whole(one->percentile(part)) : nothing());
	const std::size_t state = generator_->memory().state;
	// An unbuffered library has no state.
	cells.push_back(state != 0 ? whole(state) : nothing());
	cells.push_back(state != 0 ? whole((state + line - 1) / line) : nothing());
	cells.push_back(lines_written_ != 0 ? whole(lines_written_) : nothing());
	t.add(std::move(cells));
}

void row::report_undisturbed(table &t, const row &none) const
{
	const std::uint64_t kept = undisturbed_.count();
	std::vector<cell> cells = { word(info_.name), whole(all_.count()), whole(all_.count() - kept) };
	constexpr double parts[] = { 0.5, 0.99, 0.999, 0.99999, 1.0 };
	for (const double part : parts)
		cells.push_back(has(undisturbed_, part) ? whole(undisturbed_.percentile(part)) : nothing());
	for (const double part : parts) {
		const auto more = static_cast<std::int64_t>(undisturbed_.percentile(part)) -
				  static_cast<std::int64_t>(none.undisturbed_.percentile(part));
		cells.push_back(has(undisturbed_, part) && has(none.undisturbed_, part) ?
					cell{ std::to_string(more), more } :
					nothing());
	}
	t.add(std::move(cells));
}

nlohmann::ordered_json row::repetitions() const
{
	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (const repetition &one : results_)
		all.push_back({ { "row", info_.name },
				{ "placement", info_.placement },
				{ "ticks_per_draw", one.draw },
				{ "ticks_per_draw_inlined", one.inlined },
				{ "ticks_per_byte_bulk", one.bulk_byte } });
	return all;
}

} // namespace

} // namespace latency

namespace {

constexpr const char *names[] = { "nothing",        "arc4-mtx",        "arc4-spin",      "arc4-nomtx",
				  "arc4-thread",    "arc4-percpu",     "hc128-percpu",   "hc128-inline",
				  "salsa20-percpu", "chacha20-percpu", "chacha8-percpu", "cprng" };

// The rate of timed draws of a fast generator.
constexpr double draws_a_second = 4e6;

// Taylor R. Campbell, "Re: cprng_fast implementation benchmarks", NetBSD's tech-crypto, 20 April 2014.
void report_origin(report &to)
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

void report_undisturbed(const std::deque<latency::row> &rows, report &to)
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
		r.report_undisturbed(t, rows.front());
	t.note("Draws as they came, in batches of 16384; a batch in which the thread's count of involuntary context switches\n"
	       "changed is left out, and so are the first 8 draws of each.  Interrupts, and a hypervisor that runs another guest,\n"
	       "do not change that count and are in all these figures, including those of nothing.  The excess over nothing is the\n"
	       "draw's, as far as percentiles can be subtracted.");
	t.draw({ plot::axis::percentiles,
		 "",
		 { "p50", "p99", "p99.9", "p99.999", "max" },
		 fmt::format("{}, undisturbed", cycles_unit()) });
	to.add(t, nullptr);
}

table latency_table(int repetitions)
{
	const std::string least_of = fmt::format("least of {}", repetitions);
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
	t.draw({ plot::axis::categories,
		 "row",
		 { "mean", "mean_inlined" },
		 fmt::format("{} a draw in a loop", cycles_unit()) });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "own_p50", "own_p99", "own_p99.9", "own_p99.999", "own_max" },
		 fmt::format("{}, {}", cycles_unit(), least_of) });
	t.draw({ plot::axis::percentiles,
		 "",
		 { "came_p50", "came_p99", "came_p99.9", "came_p99.999", "came_max" },
		 fmt::format("{}, as it came", cycles_unit()) });
	return t;
}

void add_notes(const run_options &chosen, std::uint64_t draws, const latency::row &nothing, table &t)
{
	t.note(fmt::format(
		"Each of {} draws was timed by itself, and every repetition begins at the same state.  Least of {} is the least of\n"
		"the repetitions for each draw: refills come at the same draw each time, interruptions by the system do not.  A\n"
		"program sees the times as they came, with all repetitions together.  The row nothing is the cost of a call and of\n"
		"the readings of the clock, which all rows include; the counter has steps of {}.  The mean is that of a loop without\n"
		"readings, for called and for inlined draws; all other columns are of called draws.",
		draws, chosen.repetitions, nothing.all().step()));
	t.note("Lines are of 64 bytes; written counts the lines that 1000 draws changed in the states of all CPUs.  cprng takes "
	       "fresh bytes\nfrom the kernel at every 16th refill, which its least maximum includes, and at the first refill after a "
	       "second, which it does not.\nPercentiles are exact: there is a counter for each number of ticks.");
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

	table t = latency_table(chosen.repetitions);
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const latency::row &r : rows) {
		r.report_to(t);
		for (const auto &one : r.repetitions())
			raw.push_back(one);
	}
	add_notes(chosen, draws, rows.front(), t);
	to.add(t, raw);
	report_undisturbed(rows, to);
	report_origin(to);
	to.add_others(all);
}

} // namespace lab

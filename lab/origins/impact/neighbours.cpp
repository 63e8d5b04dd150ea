// SPDX-License-Identifier: BSD-2-Clause
// By how much do draws at a fixed rate slow down a cache-bound workload, beyond the draws' own time?
#include "impact.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../../common/machine.hpp"
#include "../placements/cost.hpp"
#include "../placements/generators.hpp"
#include "chase.hpp"

namespace lab::impact {

namespace {

// The length of one repetition of a generator in a case, relative to --seconds.
constexpr double part_of_seconds = 0.4;

// The number of offsets at which the workload runs in a repetition, one after the other.
constexpr std::size_t places = 8;

// The length of a timed batch: much shorter than a time slice, much longer than a clock reading.
constexpr double batch_ns = 200000;

// Both values are measured with and without draws, in alternating batches.
struct repetition {
	double step[2]; // ticks per step of the workload, including its share of draws
	double draw[2]; // ticks per draw in a loop of draws
	double steps;   // per draw that was made
};
enum { with, without };

struct setting {
	const char *where;
	bool same_cpu;
	std::unique_ptr<chase> work;
	double draws_a_second;
	std::uint64_t steps = 1; // per draw
	std::vector<repetition> results[std::size(names)];

	setting(const char *on, bool shared, std::size_t bytes, double rate)
	    : where(on), same_cpu(shared), work(std::make_unique<chase>(bytes)), draws_a_second(rate)
	{
		const std::uint64_t all = 10 * work->round();
		std::uint64_t least = UINT64_MAX;
		for (int i = 0; i < 5; i++) {
			const std::uint64_t begin = ticks();
			work->run(all);
			least = std::min(least, ticks() - begin);
		}
		const double ns = static_cast<double>(least) * ns_per_tick() / static_cast<double>(all);
		steps = static_cast<std::uint64_t>(std::max(1e9 / rate / ns, 1.0));
	}

	std::string name() const
	{
		return size_name(work->round() * 64);
	}
};

// The whole cache except for 2 KiB that the program itself needs; 4 KiB more would not fit.
std::size_t first_level()
{
	const std::size_t size = cache_size(1);
	return (size != 0 ? size : 32768) - 2048;
}

std::size_t second_level()
{
	const std::size_t size = cache_size(2);
	return (size != 0 ? size : 262144) / 8 * 7;
}

class neighbours : public section {
public:
	explicit neighbours(const run_options &chosen) : seconds_(chosen.seconds * part_of_seconds)
	{
		settings_.emplace_back("same CPU", true, first_level(), 1e6);
		settings_.emplace_back("same CPU", true, first_level(), 1e5);
		settings_.emplace_back("same CPU", true, second_level(), 1e6);
		if (cpus() > 1)
			settings_.emplace_back("another", false, second_level(), 1e6);
		for (const char *name : names)
			generators_.push_back(find_generator(name).make(0, no_limit));
		none_ = find_generator("nothing").make(0, no_limit);
	}

	void plan(schedule &all) override
	{
		for (setting &s : settings_)
			all.add_kept(seconds_ * std::size(names), [this, &s] { run(s); });
	}

	void report_to(report &to) const override;

private:
	static void add_rows(const setting &s, table &t, nlohmann::ordered_json &raw);

	void run(setting &s)
	{
		repetition done[std::size(names)];
		if (!in_turn(std::size(names), s.results[0].size(), [&](std::size_t which) {
			    generator *const both[] = { generators_[which].get(), none_.get() };
			    done[which].steps = s.same_cpu ? run_among(s, both, done[which].step) :
							     run_beside(s, both, done[which].step);
			    for (const int one : { with, without })
				    done[which].draw[one] = loop_of(*both[one]);
		    }))
			return;
		for (std::size_t i = 0; i < std::size(names); i++)
			s.results[i].push_back(done[i]);
	}

	// By the same virtual call as in the workload.
	static double loop_of(generator &g)
	{
		undisturbed all;
		for (int i = 0; i < 20; i++)
			all.batch([&g] {
				for (std::uint64_t n = 0; n < draws_of_a_batch; n++)
					g.draw();
			});
		return all.mean() / draws_of_a_batch;
	}

	static std::uint64_t draws_of(const setting &s)
	{
		return static_cast<std::uint64_t>(std::max(batch_ns * s.draws_a_second * 1e-9, 1.0));
	}

	// These two return the steps per draw.
	double run_among(setting &s, generator *const *both, double *step) const
	{
		const stay_here on_one_cpu;
		const std::uint64_t draws = draws_of(s);
		step[with] = step[without] = 0;
		for (std::size_t p = 0; p < places; p++) {
			s.work->move(p * chase::offsets / places);
			s.work->run(s.work->round());
			undisturbed all[2];
			const double end = wall_seconds() + seconds_ / places;
			do
				for (const int one : { with, without })
					all[one].batch([&s, g = both[one], draws] {
						for (std::uint64_t i = 0; i < draws; i++) {
							s.work->run(s.steps);
							g->draw();
						}
					});
			while (wall_seconds() < end && !interrupted());
			for (const int one : { with, without })
				step[one] += all[one].mean() / static_cast<double>(draws * s.steps * places);
		}
		return static_cast<double>(s.steps);
	}

	// The thread that draws may lack CPU time, so its draws are counted, and waited for.
	double run_beside(setting &s, generator *const *both, double *step) const
	{
		std::atomic<bool> stop{ false };
		std::atomic<std::uint64_t> made{ 0 };
		std::uint64_t batches = 0;
		std::atomic<int> now{ with };
		undisturbed all[2];
		const std::uint64_t steps = s.steps * draws_of(s);
		const auto period = static_cast<std::uint64_t>(1e9 / s.draws_a_second / ns_per_tick());
		const std::vector<std::function<void()>> jobs = {
			[&] {
				go_to_cpu(0);
				const double end = wall_seconds() + seconds_;
				do
					for (const int one : { with, without }) {
						now = one;
						batches += one == with;
						all[one].batch([&s, steps] { s.work->run(steps); });
					}
				while ((wall_seconds() < end || made == 0) && !interrupted());
				stop = true;
			},
			[both, &stop, &now, &made, period] {
				go_to_cpu(1);
				std::uint64_t next = ticks();
				while (!stop.load(std::memory_order_relaxed)) {
					const int one = now.load(std::memory_order_relaxed);
					both[one]->draw();
					made += one == with;
					// Skips missed periods.
					for (next = std::max(next + period, ticks()); ticks() < next;)
						;
				}
			},
		};
		run_together(jobs);
		for (const int one : { with, without })
			step[one] = all[one].mean() / static_cast<double>(steps);
		return static_cast<double>(batches * steps) / static_cast<double>(std::max<std::uint64_t>(made, 1));
	}

	double seconds_;
	std::deque<setting> settings_;
	std::vector<std::unique_ptr<generator>> generators_;
	std::unique_ptr<generator> none_;
};

void neighbours::add_rows(const setting &s, table &t, nlohmann::ordered_json &raw)
{
	spread of_nothing;
	for (std::size_t i = 0; i < std::size(names); i++) {
		std::vector<double> slowdowns, extras, draws, losses;
		for (const repetition &one : s.results[i]) {
			const double extra = (one.step[with] - one.step[without]) * one.steps;
			const double draw = one.draw[with] - one.draw[without];
			slowdowns.push_back(one.step[with] / one.step[without]);
			extras.push_back(extra);
			draws.push_back(draw);
			losses.push_back(s.same_cpu ? extra - draw : extra);
			raw.push_back({ { "where", s.where },
					{ "workload", s.name() },
					{ "draws_a_second", s.draws_a_second },
					{ "steps_between_draws", s.steps },
					{ "steps_a_draw_made", one.steps },
					{ "row", names[i] },
					{ "ticks_per_step", one.step[with] },
					{ "ticks_per_step_without", one.step[without] },
					{ "ticks_per_draw", one.draw[with] },
					{ "ticks_per_draw_of_nothing", one.draw[without] } });
		}
		// A percentage of a difference near zero is meaningless.
		const spread lost = spread_of(losses);
		if (names[i] == std::string_view("nothing"))
			of_nothing = lost;
		t.add({ word(s.where), word(s.name()), number(s.draws_a_second), word(names[i]), measured(slowdowns),
			figure(spread_of(extras), &spread::median), figure(spread_of(draws), &spread::median),
			figure(lost, &spread::median), figure(lost, &spread::deviation),
			word(verdict(of_nothing, lost)) });
	}
}

void neighbours::report_to(report &to) const
{
	table t("impact",
		fmt::format("A workload in a cache, with draws of 32 bits among it: what they cost it; in {}",
			    cycles_name()),
		{ { "where", "draws on" },
		  { "workload", "workload" },
		  { "draws_a_second", "draws a\nsecond" },
		  { "row", "row" },
		  { "slowdown", "time, 1 is\nwithout draws" },
		  { "extra", "longer,\na draw" },
		  { "draw", "a draw in\na loop" },
		  { "neighbour", "the neighbour's\nloss, a draw" },
		  { "neighbour_deviation", "the neighbour's\nloss, ±" },
		  { "verdict", "verdict" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const setting &s : settings_)
		add_rows(s, t, raw);
	t.note("The workload goes from line to line of a cycle that fills the cache of the first level but for 2 KiB, or seven\n"
	       "eighths of that of the second; every so many steps, as many as take a period without draws, there is a draw.\n"
	       "Longer is what all takes beyond that, for each draw; the neighbour's loss is what is left of it when the draw\n"
	       "itself is taken off, as it is in a loop, with its state at hand: lines that the two have taken from each other.\n"
	       "It lies at eight places one after the other, for lines that meet in a set of the cache are a matter of luck.\n"
	       "On another CPU draws run at the same time as the workload, so its loss is all of its extra time.  The row of nothing\n"
	       "is nothing compared with nothing: where that is further from 0 than its ±, no row has a verdict.  Else a row has\n"
	       "more, or less, if all its repetitions lie beyond all of nothing.");
	if (cpus() < 2)
		t.note("On another CPU: not measured, there is but one.");
	t.draw({ plot::axis::categories,
		 "row",
		 { "neighbour" },
		 fmt::format("{} that the neighbour loses, a draw", cycles_unit()) });
	to.add(t, raw);
}

} // namespace

const char *verdict(const spread &of_nothing, const spread &row)
{
	if (std::abs(of_nothing.median) > of_nothing.deviation)
		return "no verdict";
	return row.least > of_nothing.most ? "more" : row.most < of_nothing.least ? "less" : "none";
}

std::unique_ptr<section> make_neighbours(const run_options &chosen)
{
	return std::make_unique<neighbours>(chosen);
}

} // namespace lab::impact

// SPDX-License-Identifier: BSD-2-Clause
// The cost of a placement.  NetBSD's table was read as "the cost of the per-cpu data references and bookkeeping are about
// 15% for short requests".  Here each engine is drawn from as one plain state, a state per thread and a state per CPU,
// in turn, and each ratio compares draws made one right after the other.
#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../placements/cost.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

// In row order; the first is the reference for the others.
constexpr const char *placements[] = { "plain", "thread", "percpu" };
constexpr const char *engines[] = { "arc4", "hc128", "chacha8", "xoshiro", "buffer" };

struct group {
	const char *engine;
	// Ticks per draw; equal indices were measured one after the other.
	std::vector<double> ticks[std::size(placements)][std::size(forms)];

	const generator_info &info(std::size_t placement) const
	{
		return find_generator(fmt::format("{}-{}", engine, placements[placement]));
	}

	spread cycles(std::size_t placement, form how) const
	{
		return spread_of(ticks[placement][how]);
	}

	spread over_plain(std::size_t placement, form how) const
	{
		return spread_of(quotients(ticks[placement][how], ticks[0][how]));
	}
};

class placement_costs : public section {
public:
	explicit placement_costs(const options &chosen) : chosen_(chosen)
	{
		for (const char *engine : engines)
			groups_.push_back({ engine, {} });
	}

	void plan(schedule &all) override
	{
		constexpr double ns_of_a_draw = 5;
		for (group &one : groups_)
			all.add_kept(static_cast<double>(draws_of(chosen_)) * ns_of_a_draw * 1e-9 *
					     static_cast<double>(std::size(placements) * std::size(forms)),
				     [this, &one] { run(one); });
	}

	void report_to(report &to) const override;

private:
	void run(group &g) const;

	const options &chosen_;
	std::deque<group> groups_;
};

void placement_costs::run(group &g) const
{
	constexpr std::size_t both = std::size(placements) * std::size(forms);
	const std::size_t turn = g.ticks[0][called].size();
	double done[std::size(placements)][std::size(forms)];
	const stay_here on_one_cpu;
	if (!in_turn(both, turn, [&](std::size_t which) {
		    const std::size_t placement = which / std::size(forms), how = which % std::size(forms);
		    const run_of_keys run = time_keys(
			    { g.info(placement).name, how == inlined, draws_of(chosen_), no_limit, turn, 1 },
			    layouts()[turn % layouts().size()]);
		    done[placement][how] = run.ticks[0] * sizeof(std::uint32_t);
	    }))
		return;
	for (std::size_t placement = 0; placement < std::size(placements); placement++)
		for (std::size_t how = 0; how < std::size(forms); how++)
			g.ticks[placement][how].push_back(done[placement][how]);
}

void placement_costs::report_to(report &to) const
{
	table t("cprng_fast_placements",
		fmt::format("What a placement costs one thread: a draw of 32 bits, in {}", cycles_name()),
		{ { "engine", "engine" },
		  { "placement", "placement" },
		  { "called", "called" },
		  { "called_x", "called /\nplain" },
		  { "called_x_least", "called / plain,\nleast" },
		  { "called_x_most", "called / plain,\nmost" },
		  { "inlined", "inlined" },
		  { "inlined_x", "inlined /\nplain" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const group &g : groups_)
		for (std::size_t i = 0; i < std::size(placements); i++) {
			const spread x = g.over_plain(i, called);
			t.add({ word(g.info(i).engine), word(g.info(i).placement), measured(g.cycles(i, called)), measured(x),
				figure(x, &spread::least), figure(x, &spread::most), measured(g.cycles(i, inlined)),
				measured(g.over_plain(i, inlined)) });
			for (const form how : { called, inlined })
				raw.push_back({ { "row", g.info(i).name },
						{ "form", forms[how] },
						{ "ticks_per_draw", g.ticks[i][how] } });
		}
	t.note("Plain is one state with neither lock nor claim nor atomics, for one thread only.  A state a CPU is\n"
	       "claimed by a restartable sequence where the system has them, and by an atomic exchange elsewhere.  The engine\n"
	       "\"library\" is the library's buffer and cipher without its own placement; the library itself claims nothing,\n"
	       "its draw being one sequence.  The quotients are of draws that were made one right after the other, by programs whose\n"
	       "code has the same addresses; each repetition has other ones.");
	t.draw({ plot::axis::categories, "", { "called", "inlined" }, fmt::format("{} a draw", cycles_unit()) });
	to.add(t, raw);
}

} // namespace

std::unique_ptr<section> make_placement_costs(const options &chosen)
{
	return std::make_unique<placement_costs>(chosen);
}

} // namespace lab::cprng_fast_table

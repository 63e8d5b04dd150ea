// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab sweep.
#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../../commands.hpp"
#include "../../peers/contenders/timing.hpp"
#include "sweep.hpp"

namespace lab {

namespace sweep {

namespace {

// All sweeps, in the order of `all`.
constexpr struct {
	const char *name;
	plan (*make)();
} sweeps[] = {
	{ "placement", placement },
	{ "placement", placement_of_randp },
	{ "buffer", buffer },
	{ "refills", refills },
	{ "engine", engine },
	{ "threshold", threshold },
	{ "streaming", streaming },
	{ "stream-buffer", stream_buffer },
	{ "prng-params", prng_params },
	{ "num-blocks", num_blocks },
	{ "reseed-countdown", reseed_countdown },
};
constexpr const char *all_name = "all";

// The length of a repetition relative to --seconds: there are many, and each is compared with those next to it.
constexpr double part_of_seconds = 0.5;

std::string table_name(const plan &p)
{
	std::string name = "sweep_" + p.name;
	std::replace(name.begin(), name.end(), '-', '_');
	return name;
}

class running {
public:
	running(plan p, double seconds) : plan_(std::move(p)), seconds_(seconds)
	{
		std::size_t most = 0;
		for (const task &t : plan_.tasks)
			most = std::max(most, t.what.len);
		buffer_.resize(most);
		for (const candidate &c : plan_.candidates)
			rows_.push_back({ &c, nullptr, std::vector<std::uint64_t>(plan_.tasks.size()),
					  std::vector<std::vector<double>>(plan_.tasks.size()) });
		for (std::size_t i = 0; i < rows_.size(); i++)
			default_ = rows_[i].of->is_default ? i : default_;
	}

	// All values in turn, starting with a different one each time, so that ratios compare the same conditions.
	void add_to(schedule &all)
	{
		for (std::size_t i = 0; i < plan_.tasks.size() && !rows_.empty(); i++)
			all.add_kept(seconds_ * static_cast<double>(rows_.size()), [this, i] { run(i); });
	}

	void report_to(report &to) const;

private:
	// Curves over the values, each at its own position.
	void draw(table &t) const
	{
		std::vector<std::string> tasks;
		for (const task &one : plan_.tasks)
			tasks.push_back(one.key);
		std::set<std::uint64_t> places;
		for (const candidate &c : plan_.candidates)
			places.insert(c.value);
		const bool curves = places.size() == plan_.candidates.size() && places.count(0) == 0;
		const plot::axis over = curves ? plot::axis::parameter : plot::axis::categories;
		t.draw({ over, curves ? "value" : "label", tasks, "ns a call" });
		t.draw({ over, curves ? "value" : "label", { "score" }, "all, in parts of the default" });
	}

	struct row {
		const candidate *of;
		std::unique_ptr<contender> source;
		std::vector<std::uint64_t> calls;    // of each task in one thread
		std::vector<std::vector<double>> ns; // of each task
	};

	double measure(row &r, std::size_t which)
	{
		const task &t = plan_.tasks[which];
		work w = t.what;
		w.out = buffer_.data();
		if (t.threads > 1) {
			const double calls = calls_a_second(r.of->make, w, t.threads, seconds_);
			return calls > 0 ? 1e9 / calls : 0;
		}
		if (!r.source)
			r.source = r.of->make();
		if (r.calls[which] == 0)
			r.calls[which] = calls_for(*r.source, w, seconds_);
		return r.source->run(w, r.calls[which]) / static_cast<double>(r.calls[which]) * 1e9;
	}

	void run(std::size_t which)
	{
		std::vector<double> done(rows_.size());
		if (!in_turn(rows_.size(), rows_[0].ns[which].size(),
			     [&](std::size_t n) { done[n] = measure(rows_[n], which); }))
			return;
		for (std::size_t i = 0; i < rows_.size(); i++)
			rows_[i].ns[which].push_back(done[i]);
	}

	// Relative to the default: the geometric mean over all columns, of values measured together.
	spread score(const row &r) const
	{
		std::size_t count = r.ns[0].size();
		for (const auto &ns : r.ns)
			count = std::min(count, ns.size());
		std::vector<double> scores;
		for (std::size_t i = 0; i < count; i++) {
			double sum = 0;
			for (std::size_t n = 0; n < r.ns.size(); n++)
				sum += std::log(r.ns[n][i] / rows_[default_].ns[n][i]);
			scores.push_back(std::exp(sum / static_cast<double>(r.ns.size())));
		}
		return spread_of(scores);
	}

	plan plan_;
	double seconds_;
	std::vector<unsigned char> buffer_;
	std::deque<row> rows_;
	std::size_t default_ = 0;
};

void running::report_to(report &to) const
{
	std::vector<table::column> columns = { { "label", plan_.heading }, { "value", "value" } };
	for (const task &t : plan_.tasks)
		columns.push_back({ t.key, t.heading });
	columns.push_back({ "score", "all, over\nthe default" });
	columns.push_back({ "mark", "" });
	table t(table_name(plan_), plan_.title + ": ns a call", columns);

	std::size_t winner = 0;
	for (std::size_t i = 1; i < rows_.size(); i++)
		winner = score(rows_[i]).median < score(rows_[winner]).median ? i : winner;
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (std::size_t i = 0; i < rows_.size(); i++) {
		const row &r = rows_[i];
		const spread s = score(r);
		std::vector<cell> cells = { word(r.of->label), r.of->value != 0 ? whole(r.of->value) : nothing() };
		for (std::size_t n = 0; n < plan_.tasks.size(); n++) {
			cells.push_back(measured(r.ns[n]));
			raw.push_back({ { "label", r.of->label }, { "what", plan_.tasks[n].key }, { "ns", r.ns[n] } });
		}
		cells.push_back(measured(s));
		const bool won = i == winner && s.count != 0;
		cells.push_back(i == default_ && won ? word("default, winner") :
				i == default_        ? word("default") :
				won                  ? word("winner") :
						       nothing());
		t.add(std::move(cells));
	}
	if (rows_.empty()) {
		std::vector<cell> cells(columns.size(), nothing());
		cells[0] = word("not here");
		t.add(std::move(cells));
	}
	t.note(!rows_.empty() ?
		       plan_.note :
		       "Not here: it takes a CPU with instructions for AES, of an architecture that the lab knows.");
	if (!rows_.empty() && winner != default_) {
		const spread s = score(rows_[winner]);
		if (s.count != 0 && s.median + 2 * s.deviation >= 1)
			t.note("The winner is within its noise of the default.");
	}
	draw(t);
	to.add(t, raw);
}

struct options : run_options {
	std::string which = all_name;
};

void measure(const options &chosen, report &to)
{
	to.settings()["sweep"] = chosen.which;
	const auto selected = [&chosen](const char *name) { return chosen.which == all_name || chosen.which == name; };
	for (const auto &one : sweeps) {
		if (!selected(one.name) || interrupted())
			continue;
		schedule::announce(one.name);
		running r(one.make(), chosen.seconds * part_of_seconds);
		schedule all;
		r.add_to(all);
		all.run(chosen.repetitions);
		r.report_to(to);
		to.add_others(all, one.name);
	}
}

} // namespace

} // namespace sweep

std::function<void()> add_sweep(CLI::App &app)
{
	const auto chosen = std::make_shared<sweep::options>();
	std::vector<std::string> names;
	for (const auto &one : sweep::sweeps)
		if (names.empty() || names.back() != one.name)
			names.emplace_back(one.name);
	names.emplace_back(sweep::all_name);
	add_run_options(app, *chosen);
	app.add_option("WHAT", chosen->which, fmt::format("{} (that when nothing is named)", fmt::join(names, ", ")))
		->check(CLI::IsMember(names))
		->option_text(" ");
	return making_report("sweep", chosen, sweep::measure);
}

} // namespace lab

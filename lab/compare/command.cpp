// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab compare: how figures changed between two runs.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/error.hpp"
#include "../common/machine.hpp"
#include "../common/statistics.hpp"
#include "../common/table.hpp"
#include "kept.hpp"
#include "ratio.hpp"

namespace lab {

namespace {

struct options {
	std::string before, after, json;
	double confidence = 0.99;
	bool changed_only = false;
};

struct judged {
	compare::pair_of pair;
	spread before, after;
	double ratio = 0; // of the medians
	compare::interval bounds;
	bool changed = false;
};

judged judge(const compare::pair_of &pair, double confidence)
{
	judged j{ pair, spread_of(pair.before.values), spread_of(pair.after.values), 0, {}, false };
	j.bounds = compare::ratio_interval(pair.before.values, pair.after.values, confidence);
	if (j.before.count != 0 && j.after.count != 0 && j.before.median > 0)
		j.ratio = j.after.median / j.before.median;
	if (!j.bounds.exists)
		return j;
	// The interval is around the median of the ratios, which may differ from the ratio of the medians.
	j.bounds.least = std::min(j.bounds.least, j.ratio);
	j.bounds.most = std::max(j.bounds.most, j.ratio);
	j.changed = j.bounds.least > 1 || j.bounds.most < 1;
	return j;
}

std::string all_title(const std::vector<judged> &all, const std::string &name)
{
	const auto first =
		std::find_if(all.begin(), all.end(), [&name](const judged &j) { return j.pair.before.table == name; });
	return first->pair.before.title;
}

// The part of the comparison for one of the runs' tables.
table table_of(const std::vector<judged> &all, const std::string &name, const options &chosen)
{
	table t(name, all_title(all, name),
		{ { "row", "" },
		  { "column", "figure" },
		  { "before", "A" },
		  { "after", "B" },
		  { "ratio", "B / A" },
		  { "interval", fmt::format("{:g} %", 100 * chosen.confidence) },
		  { "changed", "" } });
	for (const judged &j : all) {
		if (j.pair.before.table != name || (chosen.changed_only && !j.changed))
			continue;
		t.add({ word(j.pair.before.row), word(j.pair.before.column), number(j.before.median),
			number(j.after.median), j.ratio > 0 ? number(j.ratio) : nothing(),
			j.bounds.exists ? word(fmt::format("{:.3f} to {:.3f}", j.bounds.least, j.bounds.most)) :
					  nothing(),
			word(!j.changed  ? "" :
			     j.ratio > 1 ? "more" :
					   "less") });
	}
	return t;
}

nlohmann::ordered_json to_json(const judged &j)
{
	using json = nlohmann::ordered_json;
	json one = { { "table", j.pair.before.table },
		     { "row", j.pair.before.row },
		     { "column", j.pair.before.column },
		     { "before", to_json(j.before) },
		     { "after", to_json(j.after) },
		     { "ratio", j.ratio > 0 ? json(j.ratio) : json() },
		     { "interval", nullptr },
		     { "changed", j.changed } };
	if (j.bounds.exists)
		one["interval"] = { { "least", j.bounds.least },
				    { "most", j.bounds.most },
				    { "coverage", j.bounds.coverage } };
	return one;
}

void print_list(const char *heading, const std::vector<std::string> &names)
{
	if (!names.empty())
		fmt::print("\n{}:\n  {}\n", heading, fmt::join(names, "\n  "));
}

void write_json(const std::string &file, const nlohmann::ordered_json &document)
{
	std::ofstream out(file);
	out << document.dump(1, '\t') << "\n";
	out.close();
	if (!out)
		throw failure(fmt::format("cannot write {}", file));
}

void print_tables(const std::vector<judged> &all, const options &chosen)
{
	std::vector<std::string> names;
	for (const judged &j : all)
		if ((j.changed || !chosen.changed_only) &&
		    std::find(names.begin(), names.end(), j.pair.before.table) == names.end())
			names.push_back(j.pair.before.table);
	for (const std::string &name : names)
		fmt::print("{}\n", table_of(all, name, chosen).print());
}

void run_compare(const options &chosen)
{
	const compare::kept_run before = compare::read_run(chosen.before), after = compare::read_run(chosen.after);
	const std::vector<std::string> warnings = compare::differences(before, after);
	const compare::matched figures = compare::match(before, after);
	std::vector<judged> all;
	double by_chance = 0;
	std::size_t with_interval = 0, changed = 0;
	for (const compare::pair_of &pair : figures.both) {
		all.push_back(judge(pair, chosen.confidence));
		const judged &j = all.back();
		with_interval += j.bounds.exists;
		changed += j.changed;
		by_chance += j.bounds.exists ? 1 - j.bounds.coverage : 0;
	}

	for (const std::string &warning : warnings)
		fmt::print("warning: {}\n", warning);
	fmt::print("{}A: {}\n{}\n\nB: {}\n{}\n\n", warnings.empty() ? "" : "\n", before.file,
		   machine_text(before.document["machine"]), after.file, machine_text(after.document["machine"]));
	print_tables(all, chosen);
	fmt::print("{} figures are in both, {} with repetitions enough for an interval; {} changed: 1 is not in it.\n"
		   "Had nothing changed, so many of them would be reported at the most: {:.1f}.\n"
		   "{} more have no repetitions (percentiles, extremes, counts) and are not compared.\n",
		   all.size(), with_interval, changed, by_chance, figures.single);
	print_list("Only in A", figures.before_only);
	print_list("Only in B", figures.after_only);
	if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
		throw failure("cannot write to standard output");
	if (chosen.json.empty())
		return;
	nlohmann::ordered_json document = { { "program", "cprng-lab" },
					    { "command", "compare" },
					    { "before", before.file },
					    { "after", after.file },
					    { "warnings", warnings },
					    { "confidence", chosen.confidence },
					    { "changed", changed },
					    { "changed_by_chance", by_chance },
					    { "figures", nlohmann::ordered_json::array() },
					    { "before_only", figures.before_only },
					    { "after_only", figures.after_only } };
	for (const judged &j : all)
		document["figures"].push_back(to_json(j));
	write_json(chosen.json, document);
}

} // namespace

std::function<void()> add_compare(CLI::App &app)
{
	const auto chosen = std::make_shared<options>();
	app.add_option("A", chosen->before, "JSON of a run")->required()->option_text("A.json");
	app.add_option("B", chosen->after, "of another, which is given in parts of A")
		->required()
		->option_text("B.json");
	app.add_option("--json", chosen->json, "keep all that in FILE")->option_text("FILE");
	app.add_option("--confidence", chosen->confidence, "of each interval (0.99)")
		->check(CLI::Range(0.5, 0.9999))
		->option_text("P");
	app.add_flag("--changed", chosen->changed_only, "tell of changed figures alone");
	return [chosen] { run_compare(*chosen); };
}

} // namespace lab

// SPDX-License-Identifier: BSD-2-Clause
#include "kept.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "../common/error.hpp"
#include "../common/machine.hpp"

namespace lab::compare {

namespace {

using json = nlohmann::ordered_json;

bool is_measured(const json &cell)
{
	return cell.is_object();
}

// A cell as a word, for cells that identify the measurement.
std::string text_of(const json &cell)
{
	return cell.is_string() ? cell.get<std::string>() : cell.is_null() ? "-" : cell.dump();
}

// Joins a heading of several lines.
std::string one_line(std::string text)
{
	std::replace(text.begin(), text.end(), '\n', ' ');
	return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

const json *table_of(const kept_run &run, const std::string &name)
{
	const json &tables = run.document["tables"];
	const auto found = tables.find(name);
	return found == tables.end() ? nullptr : &*found;
}

std::string name_of_row(const json &row, const std::vector<std::string> &keys)
{
	std::string name;
	for (const std::string &key : keys)
		if (const auto cell = row.find(key); cell != row.end())
			name += (name.empty() ? "" : ", ") +
				(cell->is_number() ? fmt::format("{} {}", key, text_of(*cell)) : text_of(*cell));
	return name;
}

bool all_differ(const std::vector<const json *> &tables, const std::vector<std::string> &keys)
{
	return std::all_of(tables.begin(), tables.end(), [&keys](const json *table) {
		std::set<std::string> names;
		for (const json &row : (*table)["rows"])
			if (!names.insert(name_of_row(row, keys)).second)
				return false;
		return true;
	});
}

// The columns that identify a row in both files: all text columns, and as many numeric ones, from the left, as needed.
std::vector<std::string> names_of_rows(const std::vector<const json *> &tables)
{
	std::vector<std::string> words, numbers;
	for (const json &column : (*tables.front())["columns"]) {
		const std::string key = column["key"];
		bool word = false, number = true;
		for (const json *table : tables)
			for (const json &row : (*table)["rows"]) {
				const auto cell = row.find(key);
				word = word || (cell != row.end() && cell->is_string());
				number = number && cell != row.end() && cell->is_number();
			}
		if (word)
			words.push_back(key);
		else if (number)
			numbers.push_back(key);
	}
	for (const std::string &key : numbers) {
		if (all_differ(tables, words))
			break;
		words.push_back(key);
	}
	return words;
}

struct found {
	std::vector<figure> figures; // in file order
	std::set<std::string> single;
};

std::string words_of(const figure &f)
{
	return fmt::format("{}: {}, {}", f.table, f.row, f.column);
}

found figures_of(const std::string &name, const json &table, const std::vector<std::string> &naming)
{
	found all;
	std::map<std::string, int> seen;
	for (const json &row : table["rows"]) {
		std::string row_name = name_of_row(row, naming);
		// Rows with equal names are distinguished by their order.
		if (const int number = ++seen[row_name]; number > 1)
			row_name += fmt::format(" #{}", number);
		for (const json &column : table["columns"]) {
			const std::string key = column["key"];
			const json &cell = row.at(key);
			if (is_measured(cell))
				all.figures.push_back({ name, table["title"], row_name, one_line(column["heading"]),
							cell.at("values") });
			else if (cell.is_number() && std::find(naming.begin(), naming.end(), key) == naming.end())
				all.single.insert(row_name + "\n" + key);
		}
	}
	return all;
}

// From both runs, without values that differ each time.
std::vector<std::string> differing(const json &before, const json &after, const std::set<std::string> &ignored)
{
	std::vector<std::string> all;
	if (!before.is_object() || !after.is_object())
		return all;
	for (const auto &[key, value] : before.items()) {
		const auto other = after.find(key);
		if (ignored.count(key) != 0 || other == after.end() || *other == value)
			continue;
		if (value.is_object() && other->is_object())
			for (const std::string &part : differing(value, *other, {}))
				all.push_back(fmt::format("{}: {}", key, part));
		else
			all.push_back(fmt::format("{}: {} and {}", key, text_of(value), text_of(*other)));
	}
	return all;
}

void check(const kept_run &run)
{
	const auto has = [&run](const char *key) {
		return run.document.contains(key) && run.document[key].is_object();
	};
	if (!run.document.is_object() || run.document.value("program", "") != "cprng-lab" || !has("tables") ||
	    !has("machine") || !has("settings"))
		throw bad_input(fmt::format("{}: not made by cprng-lab --json", run.file));
	for (const auto &[name, table] : run.document["tables"].items()) {
		const auto is_list = [&t = table](const char *key) { return t.contains(key) && t[key].is_array(); };
		if (!table.is_object() || !is_list("columns") || !is_list("rows"))
			throw bad_input(
				fmt::format("{}: table \"{}\" has no columns or rows: made by an older cprng-lab?",
					    run.file, name));
	}
}

} // namespace

kept_run read_run(const std::string &file)
{
	kept_run run{ file, {} };
	std::ifstream in(file);
	if (!in)
		throw bad_input(fmt::format("cannot read {}", file));
	try {
		run.document = json::parse(in);
	} catch (const std::exception &error) { // a directory: reading it fails
		throw bad_input(fmt::format("{}: not JSON: {}", file, error.what()));
	}
	try {
		check(run);
		machine_text(run.document["machine"]);
		// Check the used cells here, so that an invalid one is reported first.
		for (const auto &[name, table] : run.document["tables"].items())
			figures_of(name, table, {});
	} catch (const json::exception &error) {
		throw bad_input(fmt::format("{}: not what cprng-lab --json writes: {}", file, error.what()));
	}
	return run;
}

matched match(const kept_run &before, const kept_run &after)
{
	matched all;
	std::vector<std::string> names;
	for (const kept_run *run : { &before, &after })
		for (const auto &[name, table] : run->document["tables"].items())
			if (std::find(names.begin(), names.end(), name) == names.end())
				names.push_back(name);
	for (const std::string &name : names) {
		const json *const tables[] = { table_of(before, name), table_of(after, name) };
		std::vector<const json *> there;
		std::copy_if(std::begin(tables), std::end(tables), std::back_inserter(there),
			     [](const json *t) { return t != nullptr; });
		const std::vector<std::string> naming = names_of_rows(there);
		if (there.size() == 1) {
			const std::size_t count = figures_of(name, *there[0], naming).figures.size();
			if (count != 0)
				(tables[0] != nullptr ? all.before_only : all.after_only)
					.push_back(fmt::format("the table {}, {} figures", name, count));
			continue;
		}
		const found old = figures_of(name, *tables[0], naming);
		found now = figures_of(name, *tables[1], naming);
		for (const figure &f : old.figures) {
			const auto same = std::find_if(now.figures.begin(), now.figures.end(), [&f](const figure &g) {
				return f.row == g.row && f.column == g.column;
			});
			if (same == now.figures.end()) {
				all.before_only.push_back(words_of(f));
				continue;
			}
			all.both.push_back({ f, *same });
			now.figures.erase(same);
		}
		for (const figure &f : now.figures)
			all.after_only.push_back(words_of(f));
		all.single += static_cast<std::size_t>(
			std::count_if(old.single.begin(), old.single.end(),
				      [&now](const std::string &key) { return now.single.count(key) != 0; }));
	}
	return all;
}

std::vector<std::string> differences(const kept_run &before, const kept_run &after)
{
	std::vector<std::string> all;
	// Each run measures this again.
	static const std::set<std::string> measured = { "time", "clock_ns_per_tick", "clock_cost_ns" };
	for (const std::string &one : differing(before.document["machine"], after.document["machine"], measured))
		all.push_back("different machines: " + one);
	for (const std::string &one : differing(before.document["settings"], after.document["settings"], {}))
		all.push_back("different settings: " + one);
	// Older runs do not say how they were built.
	for (const std::string &one :
	     differing(before.document.value("build", json()), after.document.value("build", json()), {}))
		all.push_back("different builds: " + one);
	for (const std::string &one :
	     differing(before.document.value("peers", json()), after.document.value("peers", json()), {}))
		all.push_back("different peers: " + one);
	for (const kept_run *run : { &before, &after }) {
		if (run->document.value("interrupted", false))
			all.push_back(run->file + " was interrupted");
		if (run->document["settings"].value("quick", false))
			all.push_back(run->file + " was made with --quick, too short for figures");
	}
	return all;
}

} // namespace lab::compare

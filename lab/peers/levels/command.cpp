// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab levels: the library's ciphers compared with OpenSSL's and libsodium's, limited to older CPUs' instructions.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../../commands.hpp"
#include "../../common/child.hpp"
#include "levels.hpp"

namespace lab {

namespace {

using levels::cipher;
using levels::level;

// The length of a repetition relative to the commands' 0.25 s: there are more than a hundred measurements.
constexpr double part_of_repetition = 0.2;

struct library {
	const char *name;
	std::vector<double> gb_s; // one per repetition; empty if the lab lacks this library
};

struct row {
	const level *at;
	const cipher *what;
	child *process;
	std::string backend;
	bool serves_draws;
	std::vector<library> libraries; // cprng is the first
};

// A row's libraries run one right after the other, starting with a different one each time; each ratio is of one repetition.
void measure(row &r, double seconds)
{
	std::rotate(r.libraries.begin(), r.libraries.begin() + 1, r.libraries.end());
	for (library &of : r.libraries) {
		const std::string ns = r.process->asked(fmt::format("time {} {} {}", r.what->name, of.name, seconds));
		if (ns != "-" && !interrupted())
			of.gb_s.push_back(static_cast<double>(levels::request_bytes) / std::stod(ns));
	}
}

const std::vector<double> &speeds_of(const row &r, const char *name)
{
	static const std::vector<double> none;
	for (const library &of : r.libraries)
		if (of.name == std::string(name))
			return of.gb_s;
	return none;
}

void report_to(const std::deque<row> &rows, report &to)
{
	table t("levels", "Keystream at the levels of older CPUs: requests of 64 KiB, GB/s",
		{ { "level", "level" },
		  { "has", "has" },
		  { "cipher", "cipher" },
		  { "backend", "backend" },
		  { "draws", "draws" },
		  { "cprng", "cprng" },
		  { "openssl", "OpenSSL" },
		  { "libsodium", "libsodium" },
		  { "over_openssl", "cprng /\nOpenSSL" },
		  { "over_libsodium", "cprng /\nlibsodium" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const row &r : rows) {
		nlohmann::ordered_json kept = { { "level", r.at->name }, { "cipher", r.what->name } };
		std::vector<cell> cells = { word(r.at->name), word(r.at->description), word(r.what->name),
					    word(r.backend), word(r.serves_draws ? "*" : "") };
		for (const char *name : { "cprng", "openssl", "libsodium" }) {
			cells.push_back(measured(speeds_of(r, name)));
			kept[name] = speeds_of(r, name);
		}
		for (const char *name : { "openssl", "libsodium" })
			cells.push_back(measured(quotients(speeds_of(r, "cprng"), speeds_of(r, name))));
		t.add(std::move(cells));
		raw.push_back(std::move(kept));
	}
	t.note("CPU time of one thread under one key.  *: the cipher that serves draws at this level.  Quotients are those of\n"
	       "each repetition, in which a row's libraries were measured one right after the other.");
	t.draw({ plot::axis::categories, "", { "cprng", "openssl", "libsodium" }, "GB/s" });
	to.add(t, raw);
}

} // namespace

void measure_levels(const run_options &chosen, report &to)
{
	const std::vector<level> possible = levels::possible();
	const double seconds = chosen.seconds * part_of_repetition;
	std::deque<child> processes;
	std::deque<row> rows;
	schedule all;
	for (const level &at : possible) {
		child &process = processes.emplace_back(levels::command_of(at));
		const std::string generator = process.asked("generator");
		to.settings()["openssl"][at.name] = process.asked("openssl");
		for (const cipher &what : levels::ciphers) {
			row &r = rows.emplace_back(row{ &at,
							&what,
							&process,
							process.asked(fmt::format("backend {}", what.name)),
							generator == what.name,
							{ { "cprng", {} } } });
			if (what.openssl)
				r.libraries.push_back({ "openssl", {} });
			if (what.sodium)
				r.libraries.push_back({ "libsodium", {} });
			all.add_kept(seconds * static_cast<double>(r.libraries.size()),
				     [&r, seconds] { measure(r, seconds); });
		}
	}
	all.run(chosen.repetitions);
	report_to(rows, to);
	to.add_others(all);
}

std::function<void()> add_levels_child(CLI::App &app)
{
	const auto name = std::make_shared<std::string>();
	app.group("");
	app.add_option("LEVEL", *name)->required();
	return [name] { levels::serve(levels::find(*name)); };
}

} // namespace lab

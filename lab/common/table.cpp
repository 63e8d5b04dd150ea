// SPDX-License-Identifier: BSD-2-Clause
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lab {

namespace {

// The displayed width: bytes 10xxxxxx continue a character.
std::size_t width(const std::string &text)
{
	return static_cast<std::size_t>(
		std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padding(std::size_t to, const std::string &text)
{
	return std::string(to - std::min(to, width(text)), ' ');
}

std::vector<std::string> lines_of(const std::string &text)
{
	std::vector<std::string> lines;
	std::istringstream in(text);
	for (std::string line; std::getline(in, line);)
		lines.push_back(line);
	return lines;
}

// A heading without its last line.
std::string group_of(const std::string &heading)
{
	return heading.substr(0, std::min(heading.rfind('\n'), heading.size()));
}

// The lines of a heading; those that the column to its left already shows are empty.
std::vector<std::string> shown_heading(const std::string &left, const std::string &heading)
{
	std::vector<std::string> lines = lines_of(heading);
	if (lines.size() > 1 && left.find('\n') != std::string::npos && group_of(left) == group_of(heading))
		std::fill(lines.begin(), lines.end() - 1, "");
	return lines;
}

// Without trailing blanks.
std::string trimmed_line(std::string line)
{
	line.erase(line.find_last_not_of(' ') + 1);
	return line + "\n";
}

const char *name_of(plot::axis over)
{
	switch (over) {
	case plot::axis::request_size:
		return "request size";
	case plot::axis::threads:
		return "threads";
	case plot::axis::percentiles:
		return "percentiles";
	case plot::axis::parameter:
		return "parameter";
	case plot::axis::categories:
		return "categories";
	}
	return "";
}

} // namespace

std::string three_digits(double value)
{
	const double size = std::abs(value);
	return fmt::format("{:.{}f}", value, size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

cell word(const std::string &text)
{
	return { text, text };
}

cell number(double value)
{
	return { three_digits(value), value };
}

cell whole(std::uint64_t value)
{
	return { std::to_string(value), value };
}

cell measured(const spread &s)
{
	if (s.count == 0)
		return nothing();
	const double per_cent = s.median != 0 ? 100 * s.deviation / s.median : 0;
	return { fmt::format("{} ±{:.0f}%", three_digits(s.median), per_cent), to_json(s) };
}

cell measured(const std::vector<double> &values)
{
	return measured(spread_of(values));
}

cell figure(const spread &s, double spread::*which)
{
	return s.count != 0 ? number(s.*which) : nothing();
}

cell microseconds(double ns)
{
	return { three_digits(ns * 1e-3), ns * 1e-3 };
}

cell median_us(const distribution &d)
{
	return d.count != 0 ? microseconds(d.p50) : nothing();
}

cell p99_us(const distribution &d)
{
	return d.count >= 100 ? microseconds(d.p99) : nothing();
}

cell p999_us(const distribution &d)
{
	return d.count >= 1000 ? microseconds(d.p999) : nothing();
}

cell most_us(const distribution &d)
{
	return d.count != 0 ? microseconds(d.most) : nothing();
}

cell undisturbed_most_us(const distribution &d)
{
	return d.undisturbed != 0 ? microseconds(d.undisturbed_most) : nothing();
}

cell nothing()
{
	return { "-", nullptr };
}

std::string size_name(std::uint64_t bytes)
{
	static constexpr const char *units[] = { "B", "KiB", "MiB", "GiB" };
	std::size_t unit = 0;
	for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < std::size(units); unit++)
		bytes /= 1024;
	return fmt::format("{} {}", bytes, units[unit]);
}

table target_table(const std::string &name)
{
	return { name,
		 "Targets of the project",
		 { { "what", "" }, { "measured", "measured" }, { "wanted", "target" }, { "met", "" } } };
}

void table::add_target(const std::string &what, std::optional<double> measured, bool at_least, double wanted)
{
	const bool met = measured && (at_least ? *measured >= wanted : *measured <= wanted);
	add({ word(what), measured ? number(*measured) : nothing(),
	      word((at_least ? ">= " : "<= ") + three_digits(wanted)),
	      measured ? word(met ? "met" : "missed") : nothing() });
}

void table::note_spreads()
{
	std::vector<double> all;
	std::string where;
	for (const std::vector<cell> &row : rows_)
		for (std::size_t i = 0; i < row.size(); i++) {
			const nlohmann::ordered_json &value = row[i].value;
			if (!value.is_object() || value.value("repetitions", 0) < 2 || value.value("median", 0.0) == 0)
				continue;
			const double per_cent =
				100 * value["deviation"].get<double>() / std::abs(value["median"].get<double>());
			if (all.empty() || per_cent > *std::max_element(all.begin(), all.end()))
				where = fmt::format("{}, {}", name_of_row(row),
						    fmt::join(lines_of(columns_[i].heading), " "));
			all.push_back(per_cent);
		}
	if (!all.empty())
		note(fmt::format(
			"Spreads (±) of the {} measured figures: {:.0f}% at the median, {:.0f}% at the most ({}).",
			all.size(), spread_of(all).median, *std::max_element(all.begin(), all.end()), where));
}

std::string table::name_of_row(const std::vector<cell> &row)
{
	std::string name;
	for (const cell &one : row) {
		if (!one.value.is_string() && !one.value.is_number_integer())
			break;
		if (name.size() < 30)
			name += (name.empty() ? "" : " ") + one.text;
	}
	return name;
}

std::string table::print() const
{
	std::vector<std::size_t> widths;
	std::vector<bool> words;
	std::vector<std::vector<std::string>> headings;
	std::size_t heading_lines = 0;
	for (std::size_t i = 0; i < columns_.size(); i++) {
		headings.push_back(shown_heading(i == 0 ? "" : columns_[i - 1].heading, columns_[i].heading));
		heading_lines = std::max(heading_lines, headings[i].size());
		std::size_t w = 0;
		for (const std::string &line : headings[i])
			w = std::max(w, width(line));
		bool text = false;
		for (const std::vector<cell> &row : rows_) {
			w = std::max(w, width(row[i].text));
			text = text || row[i].value.is_string();
		}
		widths.push_back(w);
		words.push_back(text);
	}
	auto put = [&](std::string &line, std::size_t i, const std::string &text) {
		const std::string pad = padding(widths[i], text);
		line += (i == 0 ? "" : "  ") + (words[i] ? text + pad : pad + text);
	};

	std::string out = title_ + "\n\n";
	for (std::size_t l = 0; l < heading_lines; l++) {
		std::string line;
		for (std::size_t i = 0; i < columns_.size(); i++) {
			// Headings are aligned at their last lines.
			const std::size_t above = heading_lines - headings[i].size();
			put(line, i, l >= above ? headings[i][l - above] : "");
		}
		if (line.find_first_not_of(' ') != std::string::npos)
			out += trimmed_line(line);
	}
	std::size_t total = 0;
	for (const std::size_t w : widths)
		total += w + 2;
	out += std::string(total - 2, '-') + "\n";
	for (const std::vector<cell> &row : rows_) {
		std::string line;
		for (std::size_t i = 0; i < row.size(); i++)
			put(line, i, row[i].text);
		out += trimmed_line(line);
	}
	for (const std::string &text : notes_)
		out += "\n" + text + "\n";
	return out;
}

nlohmann::ordered_json table::to_json() const
{
	using nlohmann::ordered_json;
	ordered_json columns = ordered_json::array(), rows = ordered_json::array(), printed = ordered_json::array();
	for (const column &c : columns_)
		columns.push_back({ { "key", c.key }, { "heading", c.heading } });
	for (const std::vector<cell> &row : rows_) {
		ordered_json object = ordered_json::object(), texts = ordered_json::array();
		for (std::size_t i = 0; i < row.size(); i++) {
			object[columns_[i].key] = row[i].value;
			texts.push_back(row[i].text);
		}
		rows.push_back(std::move(object));
		printed.push_back(std::move(texts));
	}
	ordered_json all = { { "title", title_ },
			     { "columns", std::move(columns) },
			     { "rows", std::move(rows) },
			     { "printed", std::move(printed) },
			     { "notes", notes_ } };
	all["plots"] = ordered_json::array();
	for (const plot &p : plots_)
		all["plots"].push_back({ { "over", name_of(p.over) }, { "x", p.x }, { "y", p.y }, { "what", p.what } });
	return all;
}

} // namespace lab

// SPDX-License-Identifier: BSD-2-Clause
// A table, printed and kept from the same values.
#ifndef CPRNG_LAB_COMMON_TABLE_HPP
#define CPRNG_LAB_COMMON_TABLE_HPP

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "statistics.hpp"

namespace lab {

struct cell {
	std::string text;
	nlohmann::ordered_json value; // with all digits
};

// Three significant digits.
std::string three_digits(double value);

cell word(const std::string &text);
cell number(double value);
cell whole(std::uint64_t value);
// The median, and the median absolute deviation as a percentage of it.
cell measured(const spread &s);
cell measured(const std::vector<double> &values);
// One of its values alone: figure(s, &spread::least).
cell figure(const spread &s, double spread::*which);
// From nanoseconds, printed as microseconds.
cell microseconds(double ns);
// The same for a distribution; empty if there are too few events for that percentile.
cell median_us(const distribution &d);
cell p99_us(const distribution &d);
cell p999_us(const distribution &d);
cell most_us(const distribution &d);
cell undisturbed_most_us(const distribution &d);
// A value that was not measured, or does not exist.
cell nothing();

// "32 B", "64 KiB": the largest binary unit that divides it.
std::string size_name(std::uint64_t bytes);

// How a report plots a table's columns.  The remaining text columns distinguish the lines.
struct plot {
	enum class axis {
		request_size, // in column x, as bytes or in size_name()'s form
		threads,      // in column x
		percentiles,  // one in each column y: their keys end in _p50, _p99 ... _max
		parameter,    // in column x, numbers or sizes: the parameter of a sweep
		categories    // a bar for each row, named by column x, or by all text columns if that is empty
	};
	axis over;
	std::string x;
	std::vector<std::string> y;
	std::string what; // with its unit: "MB/s", "cycles a byte"
};

class table {
public:
	struct column {
		std::string key; // in JSON
		// Complete by itself, since pages and reports show some columns alone: its lines are divided by '\n', and
		// print() omits all but the last where the column to the left has the same.
		std::string heading;
	};

	table(std::string name, std::string title, std::vector<column> columns)
	    : name_(std::move(name)), title_(std::move(title)), columns_(std::move(columns))
	{
	}

	// One cell per column.
	void add(std::vector<cell> row)
	{
		rows_.push_back(std::move(row));
	}

	// A paragraph below the table.
	void note(std::string text)
	{
		notes_.push_back(std::move(text));
	}

	// In a table of targets: `measured` should be at least, or at most, `wanted`.  Without a value it is not judged.
	void add_target(const std::string &what, std::optional<double> measured, bool at_least, double wanted);

	// A paragraph on the spreads of measured cells, if there are any: their size, and the largest one's place.
	void note_spreads();

	// A plot in the report; columns by name.
	void draw(plot p)
	{
		plots_.push_back(std::move(p));
	}

	const std::string &name() const
	{
		return name_;
	}

	// At least two blanks between columns; text is left-aligned, numbers right-aligned.
	std::string print() const;

	nlohmann::ordered_json to_json() const;

private:
	// The leading text and integer cells.
	static std::string name_of_row(const std::vector<cell> &row);

	std::string name_, title_;
	std::vector<column> columns_;
	std::vector<std::vector<cell>> rows_;
	std::vector<std::string> notes_;
	std::vector<plot> plots_;
};

// The targets of the project.
table target_table(const std::string &name);

} // namespace lab

#endif

// SPDX-License-Identifier: BSD-2-Clause
// A table that is printed and kept: both come of the same values.
#ifndef CPRNG_LAB_COMMON_TABLE_HPP
#define CPRNG_LAB_COMMON_TABLE_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "statistics.hpp"

namespace lab {

struct cell {
	std::string text;
	nlohmann::ordered_json value; // with all digits
};

// Three digits that count.
std::string three_digits(double value);

cell word(const std::string &text);
cell number(double value);
cell whole(std::uint64_t value);
// The median, and the median absolute deviation in per cent of it.
cell measured(const spread &s);
// Given in nanoseconds, printed in microseconds.
cell microseconds(double ns);
// Of a distribution, likewise; nothing when there are too few events to have that percentile.
cell median_us(const distribution &d);
cell p99_us(const distribution &d);
cell p999_us(const distribution &d);
cell most_us(const distribution &d);
cell undisturbed_most_us(const distribution &d);
// Was not measured, or does not exist.
cell nothing();

// "32 B", "64 KiB": the largest binary unit that divides it.
std::string size_name(std::uint64_t bytes);

// How a report draws columns of a table.  What stands in the other columns of words tells the lines apart.
struct plot {
	enum class axis {
		request_size, // in column x, as bytes or as size_name() has them
		threads,      // in column x
		percentiles,  // one in each column y: their keys end in _p50, _p99 ... _max
		parameter,    // in column x, numbers or sizes: what a sweep varies
		categories    // a bar for each row, named by column x, or by all columns of words when that is empty
	};
	axis over;
	std::string x;
	std::vector<std::string> y;
	std::string what; // with its unit: "MB/s", "cycles a byte"
};

class table {
public:
	struct column {
		std::string key;     // in JSON
		std::string heading; // lines end in '\n'
	};

	table(std::string name, std::string title, std::vector<column> columns)
	    : name_(std::move(name)), title_(std::move(title)), columns_(std::move(columns))
	{
	}

	// As many cells as there are columns.
	void add(std::vector<cell> row)
	{
		rows_.push_back(std::move(row));
	}

	// A paragraph below the table.
	void note(std::string text)
	{
		notes_.push_back(std::move(text));
	}

	// A paragraph on the spreads of all measured cells, if there are any: how large they are, and where the largest is.
	void note_spreads();

	// In place of the plots that a report finds for itself, by the names of columns.
	void draw(plot p)
	{
		plots_.push_back(std::move(p));
		declared_ = true;
	}

	// There is nothing in it to be seen.
	void draw_nothing()
	{
		declared_ = true;
	}

	const std::string &name() const
	{
		return name_;
	}

	// Columns are at least two blanks apart; words stand left, figures right.
	std::string print() const;

	nlohmann::ordered_json to_json() const;

private:
	// Its words and whole numbers, from the left.
	static std::string name_of_row(const std::vector<cell> &row);

	std::string name_, title_;
	std::vector<column> columns_;
	std::vector<std::vector<cell>> rows_;
	std::vector<std::string> notes_;
	std::vector<plot> plots_;
	bool declared_ = false;
};

} // namespace lab

#endif

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
// Given in nanoseconds, told in microseconds.
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

	const std::string &name() const
	{
		return name_;
	}

	// Columns are at least two blanks apart; words stand left, figures right.
	std::string print() const;

	nlohmann::ordered_json to_json() const;

private:
	std::string name_, title_;
	std::vector<column> columns_;
	std::vector<std::vector<cell>> rows_;
	std::vector<std::string> notes_;
};

} // namespace lab

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Two kept runs, and the correspondence of their figures.
#ifndef CPRNG_LAB_COMPARE_KEPT_HPP
#define CPRNG_LAB_COMPARE_KEPT_HPP

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lab::compare {

struct kept_run {
	std::string file;
	nlohmann::ordered_json document;
};

// Throws bad_input.
kept_run read_run(const std::string &file);

// A measured cell.
struct figure {
	std::string table, title, row, column;
	std::vector<double> values;
};

struct pair_of {
	figure before, after;
};

struct matched {
	std::vector<pair_of> both;
	std::vector<std::string> before_only, after_only; // as text
	std::size_t single = 0; // numbers in both without repetitions: percentiles, extremes, counts
};

matched match(const kept_run &before, const kept_run &after);

// Other causes of different figures (machine, build, settings), a sentence each.
std::vector<std::string> differences(const kept_run &before, const kept_run &after);

} // namespace lab::compare

#endif

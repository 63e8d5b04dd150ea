// SPDX-License-Identifier: BSD-2-Clause
// Lines with weights.
#ifndef CPRNG_CLI_LINES_WEIGHTED_HPP
#define CPRNG_CLI_LINES_WEIGHTED_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <cprng/cprng.h>

#include "common/source.hpp"

struct weighted_text {
	std::string_view text;
	std::uint64_t weight;
};

// "red=70", or "red 70" with any blanks or tabs between.  Throws runtime_failure, which names the line.
weighted_text parse_weighted(std::size_t number, std::string_view line);

// Indexes by their weights, by cprng_weights: each next one with probability weight / sum, exactly, where the sum is that of all
// weights, or without repetition of those that are left.
class weighted_choice {
public:
	// The memory of a weight: a vector that grows, and the table.
	static constexpr std::uint64_t element_bytes = 3 * sizeof(std::uint64_t) + sizeof(cprng_alias);

	// Throws runtime_failure for a sum of 0, or too large a one.
	weighted_choice(random_source &source, std::vector<std::uint64_t> weights, bool repeat);

	// Whether an index is left.
	bool any() const noexcept
	{
		return left_ > 0;
	}

	std::size_t take();

private:
	void make_table();

	random_source &source_;
	std::vector<std::uint64_t> weights_;
	bool repeat_;
	// In the table, those that were taken since it was made still have their weights.
	std::vector<cprng_alias> table_;
	cprng_weights object_{};
	std::uint64_t sum_ = 0;
	std::uint64_t left_ = 0;
};

#endif

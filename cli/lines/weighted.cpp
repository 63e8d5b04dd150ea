// SPDX-License-Identifier: BSD-2-Clause
#include "lines/weighted.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/quantity.hpp"

weighted_text parse_weighted(std::size_t number, std::string_view line)
{
	const std::size_t mark = line.find_last_of(" \t=");
	const std::string_view digits = mark == std::string_view::npos ? std::string_view() : line.substr(mark + 1);
	if (!all_digits(digits))
		throw runtime_failure(
			fmt::format("--weighted: line {}, {}, does not end with a weight as in red=70 or red 70",
				    number, quote(line)));
	std::uint64_t weight = 0;
	try {
		weight = parse_number("--weighted", digits);
	} catch (const usage_error &error) {
		throw runtime_failure(error.what());
	}
	// An equals sign, with blanks around it or without, or a column of blanks.
	std::size_t end = line.find_last_not_of(" \t", mark) + 1;
	if (end > 0 && line[end - 1] == '=')
		end = line.substr(0, end - 1).find_last_not_of(" \t") + 1;
	return { line.substr(0, end), weight };
}

weighted_choice::weighted_choice(random_source &source, std::vector<std::uint64_t> weights, bool repeat)
    : source_(source), weights_(std::move(weights)), repeat_(repeat)
{
	for (std::uint64_t weight : weights_)
		if (__builtin_add_overflow(left_, weight, &left_))
			throw runtime_failure("--weighted: the sum of the weights is 2^64 or more");
	if (left_ == 0)
		throw runtime_failure("--weighted: the input has no line with a weight above 0");
	make_table();
}

void weighted_choice::make_table()
{
	table_.resize(weights_.size());
	if (cprng_weights_init(&object_, table_.data(), weights_.data(), weights_.size()) != CPRNG_OK)
		throw runtime_failure("--weighted: the number of lines times the sum of the weights is 2^64 or more");
	sum_ = left_;
}

// Without repetition, an index that was taken is drawn again, so that the others keep their shares.  A table in which half of the
// weight is taken is made again: then two tries are enough on average, and 64 tables at most are made.
std::size_t weighted_choice::take()
{
	if (left_ <= sum_ / 2)
		make_table();
	for (;;) {
		const std::size_t index = source_.weighted(object_);
		const std::uint64_t weight = weights_[index];
		if (weight == 0)
			continue;
		if (!repeat_) {
			weights_[index] = 0;
			left_ -= weight;
		}
		return index;
	}
}

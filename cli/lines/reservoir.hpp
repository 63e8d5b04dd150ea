// SPDX-License-Identifier: BSD-2-Clause
// A random sample of a sequence whose length is unknown.
#ifndef CPRNG_CLI_LINES_RESERVOIR_HPP
#define CPRNG_CLI_LINES_RESERVOIR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/draws.hpp"
#include "common/source.hpp"
#include "lines/lines.hpp"

// Algorithm R (A. Waterman; J. S. Vitter, "Random sampling with a reservoir", doi:10.1145/3147.3165): one draw per
// element, and all samples are exactly equally likely.  Algorithm L (K.-H. Li, doi:10.1145/198429.198435) needs fewer
// draws but rounds logarithms (docs/decisions/0022-output-of-the-command.md).
class reservoir {
public:
	reservoir(random_source &source, std::uint64_t count) : source_(source), count_(count)
	{
	}

	// The memory of an element besides its bytes: two strings, because a full vector is moved into a larger one.
	static constexpr std::uint64_t element_bytes = 2 * sizeof(std::string);

	// Throws runtime_failure if the sample does not fit into memory.
	void add(std::string_view element)
	{
		seen_++;
		if (chosen_.size() < count_) {
			kept_.add(element.size() + element_bytes);
			chosen_.emplace_back(element);
			return;
		}
		if (count_ == 0)
			return;
		const std::uint64_t place = source_.below(seen_);
		if (place >= count_)
			return;
		std::string &before = chosen_[static_cast<std::size_t>(place)];
		kept_.add(element.size(), before.size());
		before = element;
	}

	// The sample, in a random order.
	std::vector<std::string> take()
	{
		put_in_random_order(source_, chosen_);
		return std::move(chosen_);
	}

private:
	random_source &source_;
	std::uint64_t count_;
	std::uint64_t seen_ = 0;
	kept_memory kept_{ "the lines of --count" };
	std::vector<std::string> chosen_;
};

#endif

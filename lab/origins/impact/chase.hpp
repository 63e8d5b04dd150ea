// SPDX-License-Identifier: BSD-2-Clause
// A cache-bound workload: a chain of lines, each of which holds the next one's index.
#ifndef CPRNG_LAB_ORIGINS_IMPACT_CHASE_HPP
#define CPRNG_LAB_ORIGINS_IMPACT_CHASE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::impact {

class chase {
public:
	explicit chase(std::size_t bytes);

	// Shifts the memory by this many lines, fewer than `offsets`: which cache sets it fills completely, and whether
	// other code needs those, is a matter of chance.
	void move(std::size_t offset);

	static constexpr std::size_t offsets = 64; // the sets of an L1 cache, with pages of 4 KiB

	// Follows the chain for this many lines.
	void run(std::uint64_t steps)
	{
		std::size_t at = at_;
		for (; steps != 0; steps--)
			at = lines_[at].next;
		at_ = at;
	}

	// The number of lines.
	std::uint64_t round() const
	{
		return next_.size();
	}

private:
	struct alignas(64) line {
		std::size_t next;
	};

	std::vector<std::size_t> next_; // each line's successor
	std::vector<line> lines_;
	std::size_t at_ = 0;
};

} // namespace lab::impact

#endif

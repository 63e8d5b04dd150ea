// SPDX-License-Identifier: BSD-2-Clause
#include "chase.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace lab::impact {

// Sattolo's shuffle: one cycle through all lines.
chase::chase(std::size_t bytes) : next_(std::max<std::size_t>(bytes / sizeof(line), 2)), lines_(next_.size() + offsets)
{
	std::iota(next_.begin(), next_.end(), std::size_t{ 0 });
	std::mt19937_64 random(1); // NOLINT: a fixed order
	for (std::size_t i = next_.size() - 1; i > 0; i--)
		std::swap(next_[i], next_[random() % i]);
	move(0);
}

void chase::move(std::size_t offset)
{
	for (std::size_t i = 0; i < next_.size(); i++)
		lines_[offset + i].next = offset + next_[i];
	at_ = offset;
}

} // namespace lab::impact

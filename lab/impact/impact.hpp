// SPDX-License-Identifier: BSD-2-Clause
// What a generator costs its neighbours.
#ifndef CPRNG_LAB_IMPACT_IMPACT_HPP
#define CPRNG_LAB_IMPACT_IMPACT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab::impact {

// A workload that is as fast as the cache: from one line to the next, each of which tells where that is.
class chase {
public:
	explicit chase(std::size_t bytes);

	// Moves the memory on by so many lines, fewer than `offsets`: which sets of a cache it fills to the last way, and
	// whether those are the ones that something else wants, is a matter of luck.
	void move(std::size_t offset);

	static constexpr std::size_t offsets = 64; // the sets of a cache of the first level, with pages of 4 KiB

	// So many lines on.
	void run(std::uint64_t steps)
	{
		std::size_t at = at_;
		for (; steps != 0; steps--)
			at = lines_[at].next;
		at_ = at;
	}

	std::size_t bytes() const
	{
		return next_.size() * sizeof(line);
	}

private:
	struct alignas(64) line {
		std::size_t next;
	};

	std::vector<std::size_t> next_; // of each line the one after it
	std::vector<line> lines_;
	std::size_t at_ = 0;
};

class section {
public:
	virtual ~section() = default;
	virtual void plan(schedule &all) = 0;
	virtual void tell(report &to) const = 0;
};

// The workload with draws among it at a fixed rate, on the same CPU and on another one.
std::unique_ptr<section> make_neighbours(const run_options &chosen);

// The four kernels of STREAM.
std::unique_ptr<section> make_bandwidth(const run_options &chosen);

} // namespace lab::impact

#endif

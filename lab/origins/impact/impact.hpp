// SPDX-License-Identifier: BSD-2-Clause
// A generator's effect on other code.
#ifndef CPRNG_LAB_IMPACT_IMPACT_HPP
#define CPRNG_LAB_IMPACT_IMPACT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../common/report.hpp"
#include "../../common/run.hpp"

namespace lab::impact {

// What a draw interrupts.
class workload {
public:
	virtual ~workload() = default;
	virtual void run(std::uint64_t steps) = 0;

	// Shifts its memory, if that makes a difference.
	virtual void move(std::size_t)
	{
	}

	// The number of steps after which it has seen all of its memory, and its name.
	virtual std::uint64_t round() const = 0;
	virtual std::string name() const = 0;
};

// A cache-bound workload: a chain of lines, each of which holds the next one's index.
class chase final : public workload {
public:
	explicit chase(std::size_t bytes);

	// Shifts the memory by this many lines, fewer than `offsets`: which cache sets it fills completely, and whether
	// other code needs those, is a matter of chance.
	void move(std::size_t offset) override;

	static constexpr std::size_t offsets = 64; // the sets of an L1 cache, with pages of 4 KiB

	// Follows the chain for this many lines.
	void run(std::uint64_t steps) override
	{
		std::size_t at = at_;
		for (; steps != 0; steps--)
			at = lines_[at].next;
		at_ = at;
	}

	std::uint64_t round() const override
	{
		return next_.size();
	}

	std::string name() const override;

private:
	struct alignas(64) line {
		std::size_t next;
	};

	std::vector<std::size_t> next_; // each line's successor
	std::vector<line> lines_;
	std::size_t at_ = 0;
};

// A flood of packets: UDP over the loopback interface, each from here to here; a step is a packet.  nullptr if that
// interface is not there.
std::unique_ptr<workload> make_flood();

// The generators that are compared, and draws that are none.
constexpr const char *names[] = {
	"nothing", "arc4-percpu", "hc128-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"
};

// The workload with draws at a fixed rate, on the same CPU and on another one.
std::unique_ptr<section> make_neighbours(const run_options &chosen);

// The compiler at work on the library, with draws at a fixed rate on its CPU.
std::unique_ptr<section> make_compile(const run_options &chosen);

// The four kernels of STREAM.
std::unique_ptr<section> make_bandwidth(const run_options &chosen);

} // namespace lab::impact

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Sweeps of one parameter, with the default and the best value marked.
#ifndef CPRNG_LAB_ORIGINS_SWEEP_SWEEP_HPP
#define CPRNG_LAB_ORIGINS_SWEEP_SWEEP_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../common/report.hpp"
#include "../../common/run.hpp"
#include "../../peers/contenders/contender.hpp"

namespace lab::sweep {

// A column: an operation, in a number of threads.
struct task {
	std::string key, heading;
	work what;
	unsigned int threads;
};

// A row: a value of the parameter.
struct candidate {
	std::string label;
	std::uint64_t value; // for the axis of a plot; 0 where there is no number
	bool is_default;
	std::function<std::unique_ptr<contender>()> make; // for one thread
};

struct plan {
	std::string name, title, heading; // heading: the values'
	std::vector<task> tasks;
	std::vector<candidate> candidates;
	std::string note;
};

// The library's sweeps, and those of randp's design.  A plan without candidates, of randp's, cannot run here.
plan placement();
plan buffer();
plan refills();
plan engine();
plan threshold();
plan streaming();
plan stream_buffer();
plan placement_of_randp();
plan prng_params();
plan num_blocks();
plan reseed_countdown();

task draws_of_32_bits(unsigned int threads = 1);
task requests_of(std::size_t bytes, unsigned int threads = 1);

// A library built with another constant (variants.cmake).
std::function<std::unique_ptr<contender>()> variant(const std::string &name);

} // namespace lab::sweep

#endif

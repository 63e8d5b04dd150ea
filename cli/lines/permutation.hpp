// SPDX-License-Identifier: BSD-2-Clause
// Lines in a random order, even if they exceed the memory.
#ifndef CPRNG_CLI_LINES_PERMUTATION_HPP
#define CPRNG_CLI_LINES_PERMUTATION_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/source.hpp"
#include "lines/kept_lines.hpp"

// Takes lines and returns them in a uniformly random order.
//
// Up to a limit they are kept in memory and put in order by Fisher and Yates.  Beyond it each line goes to one of some
// temporary files, chosen by an independent draw, and then each file is put in order by the same method, one after the
// other (C. R. Rao, "Generation of random permutations of given number of elements using random sampling numbers",
// Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B 24 (1962)).  All orders are
// equally likely: a given order of n lines comes with each split n_1 + ... + n_k = n with probability k^-n / (n_1! ... n_k!),
// whose sum over the splits is 1 / n!.
class permutation {
public:
	// Distribution is independent of content, so only a memory of a few bytes reaches this depth.
	static constexpr unsigned int depth_max = 8;
	// Temporary files at a time; twice as many if their lines are distributed again.
	static constexpr std::uint64_t usual_bins = 64;

	// memory: bytes for lines and their offsets.  directory: for temporary files, which have no name and vanish
	// with the process.  depth: how often the lines were distributed before.
	permutation(random_source &source, std::uint64_t memory, std::string directory, unsigned int depth = 0,
		    std::uint64_t bins = usual_bins);
	~permutation();
	permutation(const permutation &) = delete;
	permutation &operator=(const permutation &) = delete;

	// Call before add() with the expected lines and their bytes.  Throws runtime_failure if the temporary files would not fit.
	void expect(std::uint64_t lines, std::uint64_t bytes) const;

	// Throws runtime_failure.
	void add(std::string_view line);

	// Passes all lines to take(), and keeps none.  Throws runtime_failure.
	void take(const std::function<void(std::string_view)> &take);

private:
	class bin;

	bool exceeds_memory(std::uint64_t lines, std::uint64_t bytes) const;
	void spill();
	void scatter(std::string_view line);

	random_source &source_;
	std::uint64_t memory_;
	std::string directory_;
	unsigned int depth_;
	std::uint64_t bin_count_;
	kept_lines kept_;
	std::vector<std::unique_ptr<bin>> bins_;
};

#endif

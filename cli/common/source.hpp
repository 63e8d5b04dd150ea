// SPDX-License-Identifier: BSD-2-Clause
// The source of the commands' random values.  Tests substitute sources that go through all values; --seed substitutes a
// stream (shell/seed.hpp).
#ifndef CPRNG_CLI_COMMON_SOURCE_HPP
#define CPRNG_CLI_COMMON_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <cprng/cprng.h>

#include "common/wiped.hpp"

class random_source {
public:
	virtual ~random_source() = default;

	// A uniform integer of 8, 16, 32 or 64 bits.
	virtual std::uint64_t word(unsigned int bits) = 0;
	// A uniform integer in [0, bound), where bound >= 1.
	virtual std::uint64_t below(std::uint64_t bound) = 0;
	// A uniform multiple of 2^-53 in [0, 1).
	virtual double unit() = 0;
	// Normal and exponential deviates: the library's, unless the source overrides it.
	virtual double normal(double mean, double deviation);
	virtual double exponential(double mean);
	// As count calls of below(bound).
	virtual void fill_below(std::uint64_t *out, std::size_t count, std::uint64_t bound);
	// A uniformly random order of the numbers.
	virtual void order(std::uint64_t *numbers, std::size_t count);
	// An index by its weight.
	virtual std::size_t weighted(const cprng_weights &weights);
	// Characters of an alphabet, which has 1 to 256, and a zero byte behind them.
	virtual void text(char *out, std::size_t length, std::string_view alphabet);
};

// Serves below(bound), for this one bound, from blocks, which are much faster.  Other values are the source's own; so is their
// order if no other value is asked for.
class block_source final : public random_source {
public:
	block_source(random_source &source, std::uint64_t bound) : source_(source), bound_(bound)
	{
	}

	std::uint64_t word(unsigned int bits) override;
	std::uint64_t below(std::uint64_t bound) override;
	double unit() override;

private:
	static constexpr std::size_t block_size = 256;

	random_source &source_;
	std::uint64_t bound_;
	wiped_array<std::uint64_t, block_size> block_;
	std::size_t next_ = block_size;
};

// The library's source: cprng_fast and the like.  Throws as require_entropy() does.
random_source &system_source();

// Call before the first draw: without random bytes from the kernel the library would abort.  Throws runtime_failure.
void require_entropy();

#endif

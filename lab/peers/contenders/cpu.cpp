// SPDX-License-Identifier: BSD-2-Clause
// The CPU's own instructions.
#include "cpu/cpu.h"
#include "source.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lab {

namespace {

constexpr const char *rdrand = "rdrand", *rdrand_is = "the CPU's generator";
constexpr const char *rdseed = "rdseed", *rdseed_is = "the CPU's source of entropy";

#if defined(__x86_64__)

// If all cores use them, RDRAND may fail briefly and RDSEED often; then retry.  Intel advises ten retries for
// RDRAND, after which the unit is considered broken ("Digital Random Number Generator Software Implementation Guide").
constexpr int rdrand_tries = 10;
constexpr int rdseed_tries = 1000000;

template <typename Source, int Tries>
class instruction : public source_of_words<instruction<Source, Tries>, std::uint64_t> {
public:
	// No instruction returns 8 bits.
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 8 || !Source::short_forms)
			return static_cast<Number>(step());
		else if constexpr (sizeof(Number) == 4)
			return ask<unsigned int>(Source::step32);
		else
			return static_cast<Number>(ask<unsigned short>(Source::step16));
	}

	std::uint64_t step()
	{
		return ask<unsigned long long>(Source::step64);
	}

private:
	template <typename Number> static Number ask(int (*step)(Number *))
	{
		Number value = 0;
		int left = Tries;
		while (__builtin_expect(step(&value) == 0, 0)) {
			check(--left != 0, Source::name);
			_mm_pause();
		}
		return value;
	}
};

struct rdrand_steps {
	static constexpr const char *name = "RDRAND";
	static constexpr bool short_forms = true;
	[[gnu::target("rdrnd")]] static int step16(unsigned short *value)
	{
		return _rdrand16_step(value);
	}
	[[gnu::target("rdrnd")]] static int step32(unsigned int *value)
	{
		return _rdrand32_step(value);
	}
	[[gnu::target("rdrnd")]] static int step64(unsigned long long *value)
	{
		return _rdrand64_step(value);
	}
};

// Shorter numbers are parts of 64-bit ones, as AMD advises: on Zen 5 the shorter forms return 0 or their last value, with success
// (AMD-SB-7055).
struct rdseed_steps {
	static constexpr const char *name = "RDSEED";
	static constexpr bool short_forms = false;
	[[gnu::target("rdseed")]] static int step64(unsigned long long *value)
	{
		return _rdseed64_step(value);
	}
};

#endif

} // namespace

void add_cpu(contender_list &all)
{
	constexpr const char *why = "the CPU has no such instruction";
#if defined(__x86_64__)
	add_if<instruction<rdrand_steps, rdrand_tries>>(all, (cprng_cpu_features() & CPRNG_CPU_RDRAND) != 0, rdrand,
							rdrand_is, why);
	add_if<instruction<rdseed_steps, rdseed_tries>>(all, (cprng_cpu_features() & CPRNG_CPU_RDSEED) != 0, rdseed,
							rdseed_is, why);
#else
	add_absent(all, rdrand, rdrand_is, true, why);
	add_absent(all, rdseed, rdseed_is, true, why);
#endif
}

} // namespace lab

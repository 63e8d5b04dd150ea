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

// RDRAND may fail for a moment if all cores use it, and RDSEED often; then retry.  Intel advises ten retries for
// RDRAND, after which the unit is broken ("Digital Random Number Generator Software Implementation Guide").
constexpr int rdrand_tries = 10;
constexpr int rdseed_tries = 1000000;

template <typename Source, int Tries> class instruction {
public:
	// No instruction returns 8 bits.
	std::uint8_t next8()
	{
		return static_cast<std::uint8_t>(next16());
	}

	std::uint16_t next16()
	{
		return ask<unsigned short>(Source::step16);
	}

	std::uint32_t next32()
	{
		return ask<unsigned int>(Source::step32);
	}

	std::uint64_t next64()
	{
		return ask<unsigned long long>(Source::step64);
	}

	std::uint32_t below(std::uint32_t n)
	{
		return below_by_multiplication([this] { return next32(); }, n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		while (len != 0) {
			const std::uint64_t word = next64();
			const std::size_t now = len < sizeof(word) ? len : sizeof(word);
			std::memcpy(out, &word, now);
			out += now;
			len -= now;
		}
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

struct rdseed_steps {
	static constexpr const char *name = "RDSEED";
	[[gnu::target("rdseed")]] static int step16(unsigned short *value)
	{
		return _rdseed16_step(value);
	}
	[[gnu::target("rdseed")]] static int step32(unsigned int *value)
	{
		return _rdseed32_step(value);
	}
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

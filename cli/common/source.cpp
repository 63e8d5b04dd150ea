// SPDX-License-Identifier: BSD-2-Clause
#include "common/source.hpp"

#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "system/system.hpp"

namespace {

class library_source final : public random_source {
public:
	std::uint64_t word(unsigned int bits) override
	{
		switch (bits) {
		case 8:
			return cprng_fast8();
		case 16:
			return cprng_fast16();
		case 32:
			return cprng_fast32();
		default:
			return cprng_fast64();
		}
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		return cprng_uniform64(bound);
	}

	double unit() override
	{
		return cprng_double();
	}
};

} // namespace

double random_source::normal(double mean, double deviation)
{
	return cprng_normal(mean, deviation);
}

double random_source::exponential(double mean)
{
	return cprng_exponential(mean);
}

void require_entropy()
{
	const std::string reason = why_no_entropy();
	if (!reason.empty())
		throw runtime_failure(fmt::format("no random numbers from the kernel: {}", reason));
}

random_source &system_source()
{
	static library_source source;
	require_entropy();
	return source;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A replacement for std::random_device, with the interface of the standard ([rand.device]).  It opens nothing, and never
 * throws or waits.
 *
 *     cprng::random_device device;
 *     std::seed_seq seed{ device(), device(), device(), device() };
 */
#ifndef CPRNG_ADAPTERS_RANDOM_DEVICE_HPP
#define CPRNG_ADAPTERS_RANDOM_DEVICE_HPP

#include <limits>
#include <string>

#include <cprng/cprng.hpp>

/* As in cprng.hpp. */
#ifndef _WIN32
#define CPRNG_OWN __attribute__((visibility("hidden")))
#else
#define CPRNG_OWN
#endif

namespace cprng {

class random_device {
public:
	using result_type = unsigned int;

	CPRNG_OWN random_device() noexcept = default;

	/* Tokens name sources, which differ between standard libraries; here every token means this source. */
	CPRNG_OWN explicit random_device(const std::string &token) noexcept
	{
		static_cast<void>(token);
	}

	random_device(const random_device &) = delete;
	random_device &operator=(const random_device &) = delete;

	CPRNG_OWN static constexpr result_type(min)() noexcept
	{
		return (std::numeric_limits<result_type>::min)();
	}

	CPRNG_OWN static constexpr result_type(max)() noexcept
	{
		return (std::numeric_limits<result_type>::max)();
	}

	/* Return the bits of entropy of a value: full entropy. */
	CPRNG_OWN double entropy() const noexcept
	{
		return std::numeric_limits<result_type>::digits;
	}

	CPRNG_OWN result_type operator()() noexcept
	{
		static_assert(sizeof(result_type) == sizeof(std::uint32_t), "a value has 32 bits");
		return cprng_fast32();
	}
};

} // namespace cprng

#undef CPRNG_OWN

#endif

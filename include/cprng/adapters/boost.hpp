/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generators for Boost.Random: cprng::generator and cprng::generator32 with the member that tells Boost whether the range is
 * known at compile time, and with seed() and generate(), which some of its engines and distributions call.
 *
 *     cprng::boost_generator random;
 *     boost::random::normal_distribution<> noise(0.0, 2.0);
 *     double x = noise(random);
 */
#ifndef CPRNG_ADAPTERS_BOOST_HPP
#define CPRNG_ADAPTERS_BOOST_HPP

#include <cprng/cprng.hpp>

/* As in cprng.hpp. */
#ifndef _WIN32
#define CPRNG_OWN __attribute__((visibility("hidden")))
#else
#define CPRNG_OWN
#endif

namespace cprng {

template <typename Generator> class boost_adapter : public Generator {
public:
	static constexpr bool has_fixed_range = false; /* by functions; true would require min_value and max_value */

	/* Does nothing.  Boost's engine adaptors seed their base engine. */
	CPRNG_OWN void seed() const noexcept
	{
	}

	template <typename Iterator> CPRNG_OWN void generate(Iterator first, Iterator last) const
	{
		for (; first != last; ++first)
			*first = static_cast<typename std::iterator_traits<Iterator>::value_type>((*this)());
	}
};

using boost_generator = boost_adapter<generator>;
using boost_generator32 = boost_adapter<generator32>;

} // namespace cprng

#undef CPRNG_OWN

#endif

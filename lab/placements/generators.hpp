// SPDX-License-Identifier: BSD-2-Clause
// What is measured: engines in placements, and the library, behind one interface.  The loops are on the far side of it, so
// that a virtual call is paid for by many draws.
#ifndef CPRNG_LAB_PLACEMENTS_GENERATORS_HPP
#define CPRNG_LAB_PLACEMENTS_GENERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "../common/tally.hpp"
#include "state.hpp"

namespace lab {

class generator {
public:
	virtual ~generator() = default;

	// As it was at its first draw.
	virtual void restart() = 0;

	// Makes output until it was rekeyed.
	virtual void exhaust() = 0;

	virtual std::uint32_t draw() = 0;

	// `count` draws of 32 bits, or of `len` bytes into the same place.
	virtual void draw(std::uint64_t count) = 0;
	virtual void fill(unsigned char *out, std::size_t len, std::uint64_t count) = 0;

	// `count` draws of 32 bits, with a look at the clock before and after each: least[n] is lowered to the time of draw n.
	virtual void time(std::uint64_t count, std::uint32_t *least, tally &all) = 0;

	virtual memory_of memory() const = 0;
};

struct generator_info {
	const char *name;
	const char *engine, *placement;
	// The keys follow from the seed; a state is rekeyed after `limit` bytes.
	std::unique_ptr<generator> (*make)(std::uint64_t seed, std::int64_t limit);
};

// Throws when there is none of that name.
const generator_info &find_generator(std::string_view name);

// No limit that any measurement comes to.
constexpr std::int64_t no_limit = INT64_MAX / 2;

} // namespace lab

#endif

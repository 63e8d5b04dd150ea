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
	// Undisturbed are those of the batches in which the scheduler did not take the CPU away; neither they nor `least` have
	// the first draws of a batch, which come after other work.
	virtual void time(std::uint64_t count, std::uint32_t *least, tally &all, tally &undisturbed) = 0;

	virtual memory_of memory() const = 0;
};

struct generator_info {
	const char *name;
	const char *engine, *placement;
	// The keys follow from the seed; a state is rekeyed after `limit` bytes.
	using maker = std::unique_ptr<generator> (*)(std::uint64_t seed, std::int64_t limit);
	// Each draw is a call of a function in another file; and with the draw inlined into the loops that measure it.
	maker make, make_inlined;
};

// Throws when there is none of that name.
const generator_info &find_generator(std::string_view name);

// No limit that any measurement comes to.
constexpr std::int64_t no_limit = INT64_MAX / 2;

} // namespace lab

#endif

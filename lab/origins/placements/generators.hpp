// SPDX-License-Identifier: BSD-2-Clause
// The measured generators, engines in placements and the library, behind one interface.  Loops run inside it, so that
// many draws share one virtual call.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_GENERATORS_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_GENERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "../../common/tally.hpp"
#include "state.hpp"

namespace lab {

class generator {
public:
	virtual ~generator() = default;

	// Forked children draw from the same states, as processes do from a kernel's.  A placement with a state for each thread
	// has its states in private memory, so only the process that made it may use it.
	static void *operator new(std::size_t size)
	{
		return shared_memory(size);
	}

	static void operator delete(void *memory, std::size_t size)
	{
		release_shared_memory(memory, size);
	}

	// Resets to the state of the first draw.
	virtual void restart() = 0;

	// Generates until the state was rekeyed.
	virtual void exhaust() = 0;

	// The number of keyings so far, of all states.
	virtual std::uint64_t keys() const = 0;

	virtual std::uint32_t draw() = 0;

	// `count` draws of 32 bits, or of `len` bytes to the same place.
	virtual void draw(std::uint64_t count) = 0;
	virtual void fill(unsigned char *out, std::size_t len, std::uint64_t count) = 0;

	// `count` draws of 32 bits, each between two clock readings; lowers least[n] to draw n's time.  Undisturbed
	// draws are those of batches without an involuntary context switch.  Neither they nor `least` include a batch's
	// first draws, which follow other work.
	virtual void time(std::uint64_t count, std::uint32_t *least, tally &all, tally &undisturbed) = 0;

	virtual memory_of memory() const = 0;
};

struct generator_info {
	const char *name;
	const char *engine, *placement;
	// Keys are derived from the seed; a state is rekeyed after `limit` bytes.
	using maker = std::unique_ptr<generator> (*)(std::uint64_t seed, std::int64_t limit);
	// With each draw a call to a function in another file, and with draws inlined into the measuring loops.
	maker make, make_inlined;
	bool is_system_call = false;
};

// Throws for an unknown name.
const generator_info &find_generator(std::string_view name);

// A limit that no measurement reaches.
constexpr std::int64_t no_limit = INT64_MAX / 2;

} // namespace lab

#endif

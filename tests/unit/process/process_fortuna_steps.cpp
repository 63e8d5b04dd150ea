// SPDX-License-Identifier: BSD-2-Clause
// The process's Fortuna, step by step.  The kernel's bytes and the clock are scripted, and the cipher's keys are recorded.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include <algorithm>

namespace strong_steps {
namespace {

using script::Bytes;
using script::cipher;
using script::given;

constexpr std::uint64_t interval = 100000000;

struct cprng_process *p;

void start()
{
	fake_os.vdso_missing = true;
	script::begin(false);
	p = cprng_process();
	REQUIRE_IN_CHILD(p->strong != nullptr);
	REQUIRE_IN_CHILD(cprng_generation(p) != 0);
	script::watch_cipher();
}

Bytes strong(std::size_t len)
{
	Bytes bytes(len);

	cprng_strong(bytes.data(), len);
	return bytes;
}

template <typename T> bool all_zero(const T &object)
{
	const auto *bytes = reinterpret_cast<const unsigned char *>(&object);

	return std::all_of(bytes, bytes + sizeof(object), [](unsigned char byte) { return byte == 0; });
}

// No input of the key may remain beside it.
void check_nothing_left()
{
	REQUIRE_IN_CHILD(all_zero(p->strong->sources.event));
	REQUIRE_IN_CHILD(all_zero(p->strong->sources.kernel));
	REQUIRE_IN_CHILD(all_zero(p->strong->state.accumulator.seed));
	for (const auto &cell : p->strong->state.harvest.cell)
		REQUIRE_IN_CHILD(all_zero(cell.event));
}

// Catches a read that uses an old key.
CHILD_TEST_CASE("strong steps: an invalidation in the middle of a read has all made again", scenario::check_buffered)
{
	start();
	strong(1);
	static bool done;
	cipher.keys.clear();
	cipher.before_key = [] {
		if (!done) {
			done = true;
			cprng_generation_invalidate(p);
		}
	};
	strong(64);
	cipher.before_key = nullptr;
	REQUIRE_IN_CHILD(cipher.keys.size() == 2);
	REQUIRE_IN_CHILD(p->strong->seeded_in == p->fork_state->generation);
	check_nothing_left();
}

// Catches a missing step at the beginning of a generation, and a seed that stays in memory.
CHILD_TEST_CASE("strong steps: a generation begins with the kernel's bytes and two polls", scenario::check_buffered)
{
	std::size_t by_itself = 0;

	start();
	given.clear();
	strong(1);
	const cprng_fortuna_state &state = p->strong->state;
	REQUIRE_IN_CHILD(p->strong->seeded_in == p->fork_state->generation);
	// The kernel's bytes that enter the key directly, and two rounds of all sources.
	for (const script::Given &g : given)
		by_itself += g.bytes.size() == CPRNG_POOL_MIN_DEFAULT && !g.by_vdso;
	REQUIRE_IN_CHILD(by_itself == 1);
	REQUIRE_IN_CHILD(p->strong->sources.source[CPRNG_SOURCE_KERNEL].events == std::uint64_t{ 2 } * CPRNG_POOLS);
	REQUIRE_IN_CHILD(state.accumulator.reseeds == 1);
	// One step for the pools, one for the seed, and the blocks of a read.
	const std::uint64_t blocks = 1 + (CPRNG_GENERATOR_KEY_SIZE + p->engine->block_size - 1) / p->engine->block_size;
	REQUIRE_IN_CHILD(state.generator.counter.hi == 0);
	REQUIRE_IN_CHILD(state.generator.counter.lo == 2 + blocks);
	check_nothing_left();
	// The same for another generation.
	const std::uint64_t counter = state.generator.counter.lo, reseeds = state.accumulator.reseeds;
	cprng_generation_invalidate(p);
	strong(1);
	REQUIRE_IN_CHILD(state.generator.counter.lo == counter + 1 + (state.accumulator.reseeds - reseeds) + blocks);
	REQUIRE_IN_CHILD(p->strong->seeded_in == p->fork_state->generation);
	check_nothing_left();
}

// Catches an interval that is a nanosecond off.
CHILD_TEST_CASE("strong steps: sources are polled as soon as it is time, and not before", scenario::check_buffered)
{
	start();
	strong(1);
	const auto &kernel = p->strong->sources.source[CPRNG_SOURCE_KERNEL];
	for (int i = 0; i < 6; i++) {
		const std::uint64_t events = kernel.events, reseeds = p->strong->state.accumulator.reseeds;
		fake_os.nanoseconds += interval - 1;
		strong(1);
		REQUIRE_IN_CHILD(kernel.events == events);
		fake_os.nanoseconds += 1;
		strong(1);
		REQUIRE_IN_CHILD(kernel.events == events + 2 * CPRNG_POOLS);
		REQUIRE_IN_CHILD(p->strong->polled == fake_os.nanoseconds);
		// Two rounds of the kernel's bytes fill pool 0, so the read itself uses a new key.
		REQUIRE_IN_CHILD(p->strong->state.accumulator.reseeds == reseeds + 1);
		check_nothing_left();
	}
}

// Taking a key for a refill begins a generation if there is none yet, as a read does.
// Catches a refill that takes its key from the old pools.
CHILD_TEST_CASE("strong steps: a refill's key begins a generation, too", scenario::check_buffered)
{
	std::uint8_t key[32];

	start();
	strong(1);
	for (int i = 0; i < 3; i++) {
		cprng_generation_invalidate(p);
		REQUIRE_IN_CHILD(cprng_strong_try_key(p, key));
		REQUIRE_IN_CHILD(p->strong->seeded_in == p->fork_state->generation);
		check_nothing_left();
	}
	fake_os.nanoseconds += interval;
	REQUIRE_IN_CHILD(cprng_strong_try_key(p, key));
	REQUIRE_IN_CHILD(p->strong->polled == fake_os.nanoseconds);
	check_nothing_left();
	REQUIRE_IN_CHILD(p->strong->poll_lock.word == 0);
}

} // namespace
} // namespace strong_steps

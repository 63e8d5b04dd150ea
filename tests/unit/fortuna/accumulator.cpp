// SPDX-License-Identifier: BSD-2-Clause
// When reseeds happen, and which pools they take.
#include "doctest/doctest.h"

#include "fixture.hpp"
#include "reference.hpp"

#include <array>
#include <memory>
#include <string>

namespace {

constexpr std::uint64_t interval = CPRNG_RESEED_INTERVAL_NS;

// A second implementation of the accumulator, which keeps whole messages.
struct Pools {
	std::array<Bytes, CPRNG_POOLS> message;
	std::array<std::uint64_t, CPRNG_POOLS> entropy_bits{};

	void add(unsigned int pool, const cprng_event &event)
	{
		message[pool].push_back(event.source);
		message[pool].push_back(event.len);
		message[pool].insert(message[pool].end(), event.payload, event.payload + event.len);
		entropy_bits[pool] += event.entropy_bits;
	}

	// Selects pools by division instead of bit operations.
	Bytes take(std::uint64_t count)
	{
		Bytes seed;
		std::uint64_t power = 1;
		for (unsigned int i = 0; i < CPRNG_POOLS; i++, power *= 2) {
			if (count % power != 0)
				continue;
			const Bytes digest = reference::hd(message[i]);
			seed.insert(seed.end(), digest.begin(), digest.end());
			message[i].clear();
			entropy_bits[i] = 0;
		}
		return seed;
	}
};

std::unique_ptr<cprng_accumulator> make_accumulator(std::uint32_t pool_min = CPRNG_POOL_MIN_LEAST)
{
	std::unique_ptr<cprng_accumulator> a(new cprng_accumulator);

	std::memset(static_cast<void *>(a.get()), 0xa5, sizeof(*a));
	cprng_accumulator_init(a.get(), pool_min);
	return a;
}

void check_entropy_bits(const cprng_accumulator &a, const Pools &model)
{
	for (unsigned int i = 0; i < CPRNG_POOLS; i++) {
		if (a.pool[i].entropy_bits != model.entropy_bits[i])
			FAIL_CHECK("entropy bits of pool " << i << " after " << a.reseeds << " reseeds");
	}
}

cprng_event full_event(unsigned int source)
{
	return make_event(source, 256, Bytes(32, 'f'));
}

} // namespace

// Catches a pool taken too often or too seldom, and lost events.
TEST_CASE("schedule: reseed n takes the pools of which 2^i divides n, with all that they got")
{
	run::Random random("schedule pools");
	const auto a = make_accumulator();
	Pools model;
	std::array<unsigned int, 3> next{};

	for (std::uint64_t n = 1; n <= volume(5000, 300); n++) {
		// Three sources with separate pool counters, at rates that do not divide 32.
		for (std::size_t i = 0; i < 7; i++) {
			const std::size_t which = random.below(next.size());
			const Bytes payload = random.bytes(1 + random.below(CPRNG_EVENT_MAX));
			const auto entropy_bits = static_cast<unsigned int>(random.below(8 * payload.size() + 1));
			const cprng_event event =
				make_event(static_cast<unsigned int>(100 * which), entropy_bits, payload);
			cprng_accumulator_add(a.get(), &event);
			model.add(next[which], event);
			next[which] = (next[which] + 1) % CPRNG_POOLS;
		}
		check_entropy_bits(*a, model);
		const std::size_t len = cprng_accumulator_take(a.get(), n);
		const Bytes want = model.take(n);
		REQUIRE(a->reseeds == n);
		REQUIRE(a->last_reseed == n);
		REQUIRE(len == want.size());
		REQUIRE(same(a->seed, want.data(), len, "seed " + std::to_string(n)));
		check_entropy_bits(*a, model);
	}
	CHECK(a->events == 7 * a->reseeds);
}

// Catches a shift by more bits than the type of the pool's number has.
TEST_CASE("schedule: the high pools")
{
	const auto a = make_accumulator();

	for (unsigned int bit = 0; bit < 64; bit++) {
		const std::uint64_t power = std::uint64_t{ 1 } << bit;
		for (std::uint64_t n : { power, 3 * power, power + 1, power - 1 }) {
			if (n == 0)
				continue;
			unsigned int pools = 0;
			while (pools < CPRNG_POOLS && n % (std::uint64_t{ 1 } << pools) == 0)
				pools++;
			a->reseeds = n - 1;
			CAPTURE(n);
			CHECK(cprng_accumulator_take(a.get(), 0) == 32u * pools);
		}
	}
}

// Catches a hash, length or credit that stays in a pool.
TEST_CASE("schedule: a pool that was taken is as new")
{
	const auto a = make_accumulator(), fresh = make_accumulator();

	for (int i = 0; i < 200; i++) {
		const cprng_event event = make_event(7, 3, Bytes(1 + i % 32, 'x'));
		cprng_accumulator_add(a.get(), &event);
	}
	a->reseeds = (std::uint64_t{ 1 } << 32) - 1;
	CHECK(cprng_accumulator_take(a.get(), 0) == CPRNG_SEED_MAX);
	for (unsigned int i = 0; i < CPRNG_POOLS; i++) {
		CAPTURE(i);
		// Compares only the bytes within the length: the other implementation never wrote those beyond it.
		CHECK(std::memcmp(a->pool[i].hash.state, fresh->pool[i].hash.state, sizeof(a->pool[i].hash.state)) ==
		      0);
		CHECK(a->pool[i].hash.length == fresh->pool[i].hash.length);
		CHECK(all_zero(a->pool[i].hash.block));
		CHECK(a->pool[i].entropy_bits == 0);
	}
}

// Catches a pool counter that sources share, so that one source could choose another source's pools.
TEST_CASE("schedule: each source's events are distributed among the pools by themselves")
{
	for (unsigned int other = 1; other < CPRNG_SOURCES; other += 31) {
		const auto a = make_accumulator();
		std::array<std::uint64_t, CPRNG_POOLS> want{};
		unsigned int turn[2] = { 0, 0 };
		for (int i = 0; i < 1000; i++) {
			// Two events of the first source, then one event of the second.
			const unsigned int which = i % 3 == 2 ? 1 : 0;
			const cprng_event event = make_event(which == 0 ? 0 : other, 1u + which, Bytes(1, 0));
			cprng_accumulator_add(a.get(), &event);
			want[turn[which]++ % CPRNG_POOLS] += event.entropy_bits;
			for (unsigned int p = 0; p < CPRNG_POOLS; p++)
				REQUIRE(a->pool[p].entropy_bits == want[p]);
		}
	}
}

// Catches a source whose first event does not go to pool 0.
TEST_CASE("schedule: all sources begin with pool 0")
{
	const auto a = make_accumulator();

	for (unsigned int source = 0; source < CPRNG_SOURCES; source++) {
		const cprng_event event = make_event(source, 8, Bytes(1, 0));
		cprng_accumulator_add(a.get(), &event);
		CHECK(a->pool[0].entropy_bits == 8 * (source + 1));
		CHECK(a->pool[1].entropy_bits == 0);
	}
}

// Catches an urgent event that waits for its source's turn, and an urgent source that another source changes or an
// invalidation forgets.
TEST_CASE("schedule: all events of an urgent source go to pool 0")
{
	Fortuna f(cprng_engine_find("chacha20"));
	constexpr unsigned int urgent = 23, other = 24;

	f.state() = {};
	f.core.urgent_source = urgent;
	cprng_fortuna_core_start(&f.core);
	for (const bool again : { false, true }) {
		for (int i = 0; i < 3; i++) {
			f.put(make_event(urgent, 8, Bytes(1, 'u')));
			f.put(make_event(other, 16, Bytes(2, 'o')));
		}
		f.drain();
		CHECK(f.pools().events == 6);
		CHECK(f.pools().pool[0].entropy_bits == 3 * 8 + 16);
		CHECK(f.pools().pool[1].entropy_bits == 16);
		CHECK(f.pools().pool[2].entropy_bits == 16);
		if (!again)
			cprng_fortuna_core_invalidate(&f.core);
	}
}

// Catches a reseed that happens one bit of credit too early or too late, or because of other pools' credit.
TEST_CASE("schedule: pool 0 at its least and below")
{
	for (std::uint32_t pool_min : { 16u, 17u, 64u, 1000u, 65536u }) {
		CAPTURE(pool_min);
		const auto a = make_accumulator(pool_min);
		const std::uint64_t bits = 8 * std::uint64_t{ pool_min };
		CHECK_FALSE(cprng_accumulator_due(a.get(), 0));
		// Other pools' credit must not matter.
		for (unsigned int i = 1; i < CPRNG_POOLS; i++)
			a->pool[i].entropy_bits = 1000000;
		a->next_pool[9] = 1;
		for (int i = 0; i < 31; i++) {
			const cprng_event event = full_event(9);
			cprng_accumulator_add(a.get(), &event);
		}
		CHECK_FALSE(cprng_accumulator_due(a.get(), 0));
		a->pool[0].entropy_bits = bits - 2;
		const cprng_event event = make_event(1, 1, Bytes(1, 0));
		cprng_accumulator_add(a.get(), &event);
		CHECK(a->pool[0].entropy_bits == bits - 1);
		CHECK_FALSE(cprng_accumulator_due(a.get(), 0));
		CHECK_FALSE(cprng_accumulator_due(a.get(), ~std::uint64_t{ 0 }));
		a->next_pool[1] = 0;
		cprng_accumulator_add(a.get(), &event);
		CHECK(a->pool[0].entropy_bits == bits);
		CHECK(cprng_accumulator_due(a.get(), 0));
		CHECK(cprng_accumulator_due(a.get(), ~std::uint64_t{ 0 }));
	}
}

// Catches an overflowing sum of entropy bits.
TEST_CASE("schedule: the count of entropy bits saturates")
{
	const auto a = make_accumulator();
	const std::uint32_t most = ~std::uint32_t{ 0 };
	const cprng_event event = full_event(1);

	a->pool[0].entropy_bits = most - 5;
	for (int i = 0; i < 3; i++) {
		a->next_pool[1] = 0;
		cprng_accumulator_add(a.get(), &event);
		CHECK(a->pool[0].entropy_bits >= most - 5);
		CHECK(cprng_accumulator_due(a.get(), 0));
	}
}

// Catches a count of bytes or events instead of entropy bits.
TEST_CASE("schedule: events without entropy never make a reseed")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		Fortuna f(engine);
		for (std::size_t i = 0; i < volume(20000, 2000); i++) {
			REQUIRE(f.put(make_event(i % 5, 0, Bytes(32, static_cast<std::uint8_t>(i)))) ==
				CPRNG_FORTUNA_OK);
			f.time += interval;
			if (i % 200 == 0) {
				CHECK_FALSE(f.readable());
			}
		}
		f.drain();
		CHECK(f.pools().reseeds == 0);
		CHECK(f.pools().events == volume(20000, 2000));
		CHECK_FALSE(f.readable());
	}
}

// Catches an interval that is a nanosecond off, or that overflows.
TEST_CASE("schedule: at most ten reseeds a second")
{
	const auto a = make_accumulator();
	const std::uint64_t last = ~std::uint64_t{ 0 } - 1000 * interval;

	// The first reseed does not depend on the time.
	a->pool[0].entropy_bits = 1000;
	CHECK(cprng_accumulator_due(a.get(), 0));
	CHECK(cprng_accumulator_due(a.get(), 1));
	for (std::uint64_t now : { std::uint64_t{ 0 }, std::uint64_t{ 5 }, interval * 3, last }) {
		(void)cprng_accumulator_take(a.get(), now);
		a->pool[0].entropy_bits = 1000;
		CHECK_FALSE(cprng_accumulator_due(a.get(), now));
		CHECK_FALSE(cprng_accumulator_due(a.get(), now + 1));
		CHECK_FALSE(cprng_accumulator_due(a.get(), now + interval - 1));
		CHECK(cprng_accumulator_due(a.get(), now + interval));
		CHECK(cprng_accumulator_due(a.get(), now + interval + 1));
		CHECK(cprng_accumulator_due(a.get(), now + 900 * interval));
	}
}

// Catches a backward step of the clock that counts as a long time, and a clock that prevents reseeds by always stepping back.
TEST_CASE("schedule: the interval counts in a clock that goes back, too")
{
	const auto a = make_accumulator();
	const std::uint64_t then = 50 * interval;

	a->pool[0].entropy_bits = 1000;
	(void)cprng_accumulator_take(a.get(), then);
	a->pool[0].entropy_bits = 1000;
	CHECK_FALSE(cprng_accumulator_due(a.get(), then - 1));
	CHECK_FALSE(cprng_accumulator_due(a.get(), then - interval + 1));
	CHECK_FALSE(cprng_accumulator_due(a.get(), then + interval - 1));
	CHECK(cprng_accumulator_due(a.get(), then + interval));
	CHECK(cprng_accumulator_due(a.get(), then - interval));
	CHECK(cprng_accumulator_due(a.get(), 0));
	// Each reading is earlier than the one before.
	for (std::uint64_t reseeds = 2, now = then; reseeds <= 11; reseeds++) {
		for (int i = 0; i < 9; i++)
			CHECK_FALSE(cprng_accumulator_due(a.get(), now -= interval / 10));
		CHECK(cprng_accumulator_due(a.get(), now -= interval / 10));
		(void)cprng_accumulator_take(a.get(), now);
		CHECK(a->reseeds == reseeds);
		a->pool[0].entropy_bits = 1000;
	}
}

// Catches a due reseed that does not happen.
TEST_CASE("schedule: reads, drains and added events reseed at the same times")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		for (int how = 0; how < 3; how++) {
			CAPTURE(how);
			Fortuna f(engine);
			std::uint8_t byte;
			const auto look = [&] {
				if (how == 0)
					f.drain();
				else if (how == 1)
					cprng_fortuna_core_add_events(&f.core, nullptr, 0, CPRNG_WAIT);
				else
					(void)!cprng_fortuna_core_read(&f.core, &byte, 1, CPRNG_WAIT);
				return f.pools().reseeds;
			};
			CHECK(look() == 0);
			f.put(make_event(1, 127, Bytes(32, 1)));
			CHECK(look() == 0);
			f.put(make_event(2, 1, Bytes(1, 1)));
			CHECK(look() == 1);
			f.put(full_event(3)); // the next reseed is not due yet
			CHECK(look() == 1);
			f.time += interval - 1;
			CHECK(look() == 1);
			f.time += 1; // the queue is empty, but the reseed is due
			CHECK(look() == 2);
			f.time += interval; // and the pool is empty
			CHECK(look() == 2);
			f.put(full_event(4));
			CHECK(look() == 3);
			f.put(full_event(5));
			f.time -= 30; // back by less than the interval
			CHECK(look() == 3);
			f.time -= interval - 31;
			CHECK(look() == 3);
			f.time -= 1; // back by the interval
			CHECK(look() == 4);
			CHECK(all_zero(f.pools().seed));
		}
	}
}

// Catches events taken out of order, and a reseed for each event.
TEST_CASE("schedule: added events come after what is in the queue, and are one reseed")
{
	Fortuna f(cprng_engine_find("chacha20"));
	Pools model;
	const cprng_event queued = make_event(1, 128, Bytes(20, 'q')), added = make_event(2, 256, Bytes(32, 'd'));
	const cprng_event events[] = { added, make_event(1, 8, Bytes(3, 'e')) };
	reference::Generator generator(f.core.engine);

	f.put(queued);
	cprng_fortuna_core_add_events(&f.core, events, 2, CPRNG_WAIT);
	model.add(0, queued);
	model.add(0, added);
	model.add(1, events[1]); // the second event of source 1
	generator.reseed(model.take(1));
	CHECK(f.pools().reseeds == 1);
	CHECK(f.pools().events == 3);
	CHECK(generator.equals(f.generator().key, f.generator().counter));
	check_entropy_bits(f.pools(), model);
}

// Catches output from an unseeded state.
TEST_CASE("schedule: no output before the first reseed, and none after a wipe")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			Fortuna f(engine, CPRNG_POOL_MIN_DEFAULT, locked);
			const auto refuses = [&] {
				bool refused = true;
				for (std::size_t len : { 1, 15, 16, 17, 64, 1000, 100000, 3000000 }) {
					Guarded out(len);
					refused = refused &&
						  cprng_fortuna_core_read(&f.core, out.data(), len, CPRNG_WAIT) ==
							  CPRNG_FORTUNA_UNSEEDED &&
						  cprng_fortuna_core_read(&f.core, out.data(), len, CPRNG_NOWAIT) ==
							  CPRNG_FORTUNA_UNSEEDED &&
						  out.untouched();
				}
				return refused && all_zero(f.generator().key) &&
				       cprng_uint128_is_zero(f.generator().counter);
			};
			CHECK(refuses());
			f.put(full_event(1));
			CHECK(refuses()); // half of the required credit
			f.put(full_event(2));
			CHECK(f.readable());

			// A fork wipes the state.
			std::memset(static_cast<void *>(&f.state()), 0, sizeof(f.state()));
			cprng_fortuna_core_start(&f.core);
			CHECK(refuses());
			CHECK(f.pools().reseeds == 0);
			f.seed(Bytes(16, 's'));
			CHECK(f.readable());
			CHECK(f.pools().reseeds == 0);

			// Initialised again without a wipe, it continues.
			const cprng_uint128 counter = f.generator().counter;
			cprng_fortuna_core_start(&f.core);
			CHECK(f.readable());
			CHECK(f.generator().counter.lo > counter.lo);
		}
	}
}

// Catches a read of no bytes that changes the state.
TEST_CASE("schedule: a read of nothing takes no key")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			Fortuna f(engine, CPRNG_POOL_MIN_LEAST, locked);
			std::uint8_t byte = 0x5a;
			f.seed(Bytes(1, 's'));
			const cprng_generator before = f.generator();
			CHECK(cprng_fortuna_core_read(&f.core, &byte, 0, CPRNG_WAIT) == CPRNG_FORTUNA_OK);
			CHECK(cprng_fortuna_core_read(&f.core, nullptr, 0, CPRNG_WAIT) == CPRNG_FORTUNA_OK);
			CHECK(byte == 0x5a);
			CHECK(std::memcmp(before.key, f.generator().key, sizeof(before.key)) == 0);
			CHECK(f.generator().counter.lo == before.counter.lo);
			// A read of no bytes updates the pools like any other read.
			f.put(full_event(1));
			CHECK(cprng_fortuna_core_read(&f.core, &byte, 0, CPRNG_WAIT) == CPRNG_FORTUNA_OK);
			CHECK(f.pools().reseeds == 1);
		}
	}
}

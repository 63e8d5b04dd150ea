// SPDX-License-Identifier: BSD-2-Clause
// An invalidation at any moment: input from before it does not count, and input from after it is not lost.
#include "fixture.hpp"

#include <functional>

namespace {

// At a chosen moment (a lock is requested, taken, released or free) it invalidates itself and then puts an event.
class Invalidated : public Fortuna {
public:
	Invalidated(const cprng_engine *engine, bool locked, const cprng_event *event)
	    : Fortuna(engine, CPRNG_POOL_MIN_LEAST, locked), event(event)
	{
	}

	// Returns whether `operation` had that many moments.
	bool at(unsigned int number, const std::function<void()> &operation)
	{
		left = number;
		operation();
		const bool happened = left == 0;
		left = 0;
		return happened;
	}

	void invalidate()
	{
		cprng_fortuna_core_invalidate(&core);
		if (event != nullptr)
			CHECK(put(*event) == CPRNG_FORTUNA_OK);
	}

private:
	void moment()
	{
		if (left != 0 && --left == 0)
			invalidate();
	}
	void before_lock(cprng_fortuna_lock) override
	{
		moment();
	}
	void after_lock(cprng_fortuna_lock) override
	{
		moment();
	}
	void before_unlock(cprng_fortuna_lock) override
	{
		moment();
	}
	void after_unlock(cprng_fortuna_lock) override
	{
		moment();
	}

	const cprng_event *event;
	unsigned int left = 0;
};

cprng_event full(unsigned int source)
{
	return make_event(source, 256, Bytes(32, static_cast<std::uint8_t>(source)));
}

// A seeded generator with one event in the queue, one in the pools, and a due reseed.
void fill(Invalidated *f)
{
	f->seed(Bytes(32, 's'));
	f->put(full(3));
	f->drain();
	f->time += CPRNG_RESEED_INTERVAL_NS;
	f->put(full(3));
	f->put(full(4));
}

bool same_key(Fortuna &a, Fortuna &b)
{
	return std::memcmp(a.generator().key, b.generator().key, sizeof(a.generator().key)) == 0;
}

// Tests each moment of a read of this many whole pieces and 5 bytes, or of nothing.  `with`: the event put right after the
// invalidation.
void check_each_moment(int pieces, const cprng_event *with)
{
	for (const cprng_engine *engine : fortuna_engines()) {
		for (const bool locked : { false, true }) {
			const std::size_t piece = locked ? CPRNG_LOCKED_PIECE_MAX : std::size_t{ 1 } << 20;
			const std::size_t len = pieces < 0 ? 0 : static_cast<std::size_t>(pieces) * piece + 5;
			bool happened = true;
			for (unsigned int number = 1; happened; number++) {
				Invalidated f(engine, locked, with);
				Fortuna fresh(engine, CPRNG_POOL_MIN_LEAST, locked);
				Bytes out(len);
				CAPTURE(number);
				fill(&f);
				happened = f.at(number, [&] {
					if (len == 0)
						f.drain();
					else if (cprng_fortuna_core_read(&f.core, out.data(), len, CPRNG_WAIT) !=
						 CPRNG_FORTUNA_OK)
						CHECK(all_zero(out.data(), len));
				});
				CHECK((happened || number > 6));
				if (!happened)
					f.invalidate();
				f.drain();
				if (with != nullptr)
					fresh.put(*with);
				fresh.drain();
				CHECK(f.pools().events == fresh.pools().events);
				CHECK(f.pools().reseeds == fresh.pools().reseeds);
				// A read after the newer event has already seeded the generator.
				if (with != nullptr && len != 0 && !same_key(f, fresh))
					fresh.read(len);
				CHECK(f.readable() == (with != nullptr));
				CHECK(fresh.readable() == (with != nullptr));
				CHECK(same_key(f, fresh));
			}
		}
	}
}

} // namespace

// Catches a key, pool or event from before an invalidation that is used after it at any step, and output of a failed read.
TEST_CASE("invalidated: at any moment, nothing of before it is used")
{
	check_each_moment(-1, nullptr);
	check_each_moment(0, nullptr);
	check_each_moment(1, nullptr);
}

// Catches an event from after an invalidation that is discarded with earlier events.
TEST_CASE("invalidated: at any moment, nothing of after it is lost")
{
	const cprng_event younger = full(5);

	check_each_moment(-1, &younger);
	check_each_moment(0, &younger);
	check_each_moment(1, &younger);
}

// Catches old events that still fill the queue after an invalidation, and an epoch number that fails when it wraps.
TEST_CASE("invalidated: a drain erases what is older, also when epochs wrap")
{
	for (const std::uint32_t epoch :
	     { UINT32_C(0), UINT32_C(0x3ffffffe), UINT32_C(0x7ffffffe), UINT32_C(0xfffffffe) }) {
		Fortuna f(cprng_engine_find("chacha20"));
		f.state().harvest.epoch = epoch;
		for (int i = 0; i < 5; i++) {
			CAPTURE(epoch);
			for (int j = 0; j < CPRNG_HARVEST_CELLS; j++)
				REQUIRE(f.put(full(3)) == CPRNG_FORTUNA_OK);
			CHECK(f.put(full(3)) == CPRNG_FORTUNA_FULL);
			cprng_fortuna_core_invalidate(&f.core);
			CHECK(f.drain() == 0);
			for (const auto &cell : f.state().harvest.cell)
				CHECK((cell.state == 0 && all_zero(cell.event)));
			CHECK_FALSE(f.readable());
			f.put(full(5));
			CHECK(f.readable());
		}
	}
}

// Catches a lost seed, and a seed that is mixed with the old key.
TEST_CASE("invalidated: a seed of after it makes the key alone")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		Fortuna f(engine), fresh(engine);
		f.seed(Bytes(32, 's'));
		cprng_fortuna_core_invalidate(&f.core);
		f.seed(Bytes(40, 't'));
		fresh.seed(Bytes(40, 't'));
		CHECK(f.read(100) == fresh.read(100));
	}
}

// Catches an event from after an invalidation that an earlier sweep erases.
TEST_CASE("invalidated: a sweep that has begun leaves younger events to the next one")
{
	static cprng_harvest q;
	const cprng_event event = full(3);
	const auto sweep = [] {
		return cprng_harvest_sweep(
			&q,
			[](void *, const cprng_event *taken) {
				const cprng_event younger = full(5);
				if (taken->source != 3)
					return;
				cprng_harvest_invalidate(&q);
				CHECK(cprng_harvest_put(&q, &younger, nullptr));
			},
			nullptr);
	};

	q = {};
	CHECK(cprng_harvest_put(&q, &event, nullptr));
	CHECK(sweep() == 1);
	CHECK(sweep() == 0);
	CHECK(cprng_harvest_waiting(&q));
	CHECK(cprng_harvest_renew(&q));
	CHECK_FALSE(cprng_harvest_renew(&q));
	CHECK(sweep() == 1);
	CHECK_FALSE(cprng_harvest_waiting(&q));
}

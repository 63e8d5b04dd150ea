// SPDX-License-Identifier: BSD-2-Clause
// Fortuna's purpose ("Cryptography Engineering", 9.5): an attacker learns the whole state, controls or sees the events
// of all but a few sources, and sees output after every reseed.  The other sources' events have a few unknown bits
// each, which the attacker guesses.  The attacker follows the state until a reseed takes more unknown bits than can be
// guessed, and is locked out from then on.
//
// Theory.  If a source produces events 0, 1, 2, ..., event e goes to pool e mod 32, so of the first E events pool i has received
//
//	share(i, E) = floor((E + 31 - i) / 32).
//
// With E(n) events before reseed n, and n - 2^i the last reseed before n that took pool i, reseed n takes
//
//	events(n) = sum over i with 2^i | n of share(i, E(n)) - share(i, E(max(c, n - 2^i)))
//
// of its events that came after the attacker learned the state, at reseed count c; each has b unknown bits.  The first
// n for which the bits of all such sources exceed what can be guessed locks the attacker out.  With 32 events per
// reseed and c = 0 that is events(2^i * odd) = 2^(i + 1) - 1, so n = 2^i for the least i with b * (2^(i + 1) - 1) >
// limit; with fewer events it is proportionally later, but always happens.
#include "doctest/doctest.h"

#include "fixture.hpp"

#include <array>
#include <cstdlib>
#include <string>

namespace {

// A source unknown to the attacker: `events` in `reseeds` reseeds, each with that many unknown bits.
struct Good {
	unsigned int events, reseeds, bits;

	std::uint64_t given(std::uint64_t n) const
	{
		return n * events / reseeds;
	}
};

struct Scene {
	unsigned int known; // sources that the attacker controls
	std::vector<Good> good;
	unsigned int warm_up; // reseeds before the attacker learns the state
};

// How many of a source's first events are in the pool.
std::uint64_t share(unsigned int pool, std::uint64_t events)
{
	return (events + CPRNG_POOLS - 1 - pool) / CPRNG_POOLS;
}

std::uint64_t unknown_bits(const Scene &scene, std::uint64_t n)
{
	std::uint64_t bits = 0;

	for (const Good &good : scene.good) {
		std::uint64_t power = 1;
		for (unsigned int i = 0; i < CPRNG_POOLS && n % power == 0; i++, power *= 2) {
			const std::uint64_t since = std::max<std::uint64_t>(scene.warm_up, power > n ? 0 : n - power);
			bits += good.bits * (share(i, good.given(n)) - share(i, good.given(since)));
		}
	}
	return bits;
}

// The first reseed after the disclosure that takes more than can be guessed.
std::uint64_t lost_at(const Scene &scene, unsigned int limit)
{
	std::uint64_t n = scene.warm_up + 1;

	while (unknown_bits(scene, n) <= limit)
		n++;
	return n;
}

bool fortunas_schedule(unsigned int pool, std::uint64_t count)
{
	return count % (std::uint64_t{ 1 } << pool) == 0;
}

bool all_at_once(unsigned int, std::uint64_t)
{
	return true;
}

using Schedule = bool (*)(unsigned int pool, std::uint64_t count);

class Attacker {
public:
	// The whole state.
	Attacker(const cprng_fortuna_state &stolen, Schedule schedule)
	    : generator(stolen.generator), count(stolen.accumulator.reseeds), schedule(schedule)
	{
		for (unsigned int i = 0; i < CPRNG_POOLS; i++)
			pools[i].hash = stolen.accumulator.pool[i].hash;
		std::copy(std::begin(stolen.accumulator.next_pool), std::end(stolen.accumulator.next_pool),
			  next.begin());
	}

	// The attacker knows all but this many bits of the event's first byte.
	void sees(cprng_event event, unsigned int bits)
	{
		Pool &pool = pools[next[event.source]];

		if (bits != 0)
			event.payload[0] = 0;
		next[event.source] = static_cast<std::uint8_t>((next[event.source] + 1) % CPRNG_POOLS);
		pool.events.push_back({ event, bits });
		pool.bits += bits;
	}

	unsigned int bits_of_next_reseed() const
	{
		unsigned int bits = 0;

		for (unsigned int i = 0; i < CPRNG_POOLS; i++)
			bits += schedule(i, count + 1) ? pools[i].bits : 0;
		return bits;
	}

	// A reseed happened, and then a read returned this.  Does the attacker know the state again?  Tries at most
	// 2^limit values.
	bool follows(const Bytes &output, unsigned int limit)
	{
		const bool too_many = bits_of_next_reseed() > limit;
		std::vector<std::vector<Bytes>> digests;

		count++;
		for (unsigned int i = 0; i < CPRNG_POOLS; i++) {
			if (!schedule(i, count))
				continue;
			if (!too_many)
				digests.push_back(candidates(pools[i]));
			pools[i] = Pool();
		}
		return !too_many && try_all(digests, output);
	}

	bool knows(const cprng_generator &g) const
	{
		return std::memcmp(g.key, generator.key, sizeof(g.key)) == 0 && g.counter.hi == generator.counter.hi &&
		       g.counter.lo == generator.counter.lo;
	}

	Bytes predict(std::size_t len)
	{
		return read(&generator, len);
	}

private:
	struct Seen {
		cprng_event event;
		unsigned int bits;
	};

	struct Pool {
		Pool()
		{
			std::memset(&hash, 0, sizeof(hash));
			cprng_sha256d_init(&hash);
		}

		cprng_sha256 hash;
		std::vector<Seen> events; // not in the hash yet
		unsigned int bits = 0;
	};

	static void hash_event(cprng_sha256 *h, const cprng_event &event)
	{
		const std::uint8_t head[2] = { event.source, event.len };

		cprng_sha256_update(h, head, 2);
		cprng_sha256_update(h, event.payload, event.len);
	}

	// The pool's possible digests, one for each value of the unknown bits.
	static std::vector<Bytes> candidates(const Pool &pool)
	{
		std::vector<cprng_sha256> hashes = { pool.hash };
		std::vector<Bytes> digests;

		for (Seen seen : pool.events) {
			std::vector<cprng_sha256> more;
			for (unsigned int value = 0; value < 1u << seen.bits; value++) {
				if (seen.bits != 0)
					seen.event.payload[0] = static_cast<std::uint8_t>(value);
				for (cprng_sha256 h : hashes) {
					hash_event(&h, seen.event);
					more.push_back(h);
				}
			}
			hashes.swap(more);
		}
		for (cprng_sha256 &h : hashes) {
			Bytes digest(CPRNG_SHA256_SIZE);
			cprng_sha256d_final(&h, digest.data());
			digests.push_back(digest);
		}
		return digests;
	}

	static Bytes read(cprng_generator *g, std::size_t len)
	{
		cprng_lease lease;
		Bytes out(len);

		cprng_generator_step(g, len, &lease);
		cprng_lease_expand(&lease, out.data(), len, 0);
		return out;
	}

	bool try_all(const std::vector<std::vector<Bytes>> &digests, const Bytes &output)
	{
		std::size_t combinations = 1;

		for (const auto &of_pool : digests)
			combinations *= of_pool.size();
		for (std::size_t c = 0; c < combinations; c++) {
			cprng_generator guess = generator;
			Bytes seed;
			std::size_t rest = c;
			for (const auto &of_pool : digests) {
				const Bytes &digest = of_pool[rest % of_pool.size()];
				rest /= of_pool.size();
				seed.insert(seed.end(), digest.begin(), digest.end());
			}
			cprng_generator_reseed(&guess, seed.data(), seed.size());
			if (read(&guess, output.size()) == output) {
				generator = guess;
				return true;
			}
		}
		return false;
	}

	cprng_generator generator;
	std::array<Pool, CPRNG_POOLS> pools;
	std::array<std::uint8_t, CPRNG_SOURCES> next;
	std::uint64_t count;
	Schedule schedule;
};

// All events between two reseeds, known and unknown, in random order.
struct Happening {
	cprng_event event;
	unsigned int bits;
};

std::vector<Happening> happenings(run::Random &random, const Scene &scene, std::uint64_t n)
{
	std::vector<Happening> all;

	// Each known source fills every pool once, so that pool 0 has enough.
	for (unsigned int source = 0; source < scene.known; source++) {
		for (unsigned int i = 0; i < CPRNG_POOLS; i++)
			all.push_back({ make_event(source, 256, random.bytes(32)), 0 });
	}
	for (std::size_t g = 0; g < scene.good.size(); g++) {
		const Good &good = scene.good[g];
		for (std::uint64_t e = good.given(n - 1); e < good.given(n); e++) {
			Bytes payload(8, static_cast<std::uint8_t>(e));
			payload[0] = static_cast<std::uint8_t>(random.below(1u << good.bits));
			all.push_back(
				{ make_event(255 - static_cast<unsigned int>(g), good.bits, payload), good.bits });
		}
	}
	for (std::size_t j = all.size(); j > 1; j--)
		std::swap(all[j - 1], all[random.below(j)]);
	return all;
}

// The real Fortuna.
class Victim {
public:
	explicit Victim(const cprng_engine *engine) : f(engine)
	{
		f.seed(Bytes(32, 'v'));
	}

	void live(const std::vector<Happening> &all)
	{
		std::vector<cprng_event> events;

		for (const Happening &h : all)
			events.push_back(h.event);
		f.time += CPRNG_RESEED_INTERVAL_NS;
		cprng_fortuna_core_add_events(&f.core, events.data(), events.size(), CPRNG_WAIT);
	}

	Bytes read(std::size_t len)
	{
		return f.read(len);
	}

	const cprng_fortuna_state &state()
	{
		return f.state();
	}

	static constexpr Schedule schedule = fortunas_schedule;

private:
	Fortuna f;
};

// A variant that takes all pools at every reseed.
class Greedy {
public:
	explicit Greedy(const cprng_engine *engine)
	{
		std::memset(static_cast<void *>(&s), 0, sizeof(s));
		cprng_accumulator_init(&s.accumulator, CPRNG_POOL_MIN_LEAST);
		cprng_generator_init(&s.generator, engine, cprng_engine_select(engine));
		cprng_generator_reseed(&s.generator, "v", 1);
	}

	void live(const std::vector<Happening> &all)
	{
		Bytes seed(CPRNG_SEED_MAX);

		for (const Happening &h : all)
			cprng_accumulator_add(&s.accumulator, &h.event);
		for (std::size_t i = 0; i < CPRNG_POOLS; i++) {
			cprng_sha256d_final(&s.accumulator.pool[i].hash, &seed[i * CPRNG_SHA256_SIZE]);
			cprng_sha256d_init(&s.accumulator.pool[i].hash);
		}
		s.accumulator.reseeds++;
		cprng_generator_reseed(&s.generator, seed.data(), seed.size());
	}

	Bytes read(std::size_t len)
	{
		cprng_lease lease;
		Bytes out(len);

		cprng_generator_step(&s.generator, len, &lease);
		cprng_lease_expand(&lease, out.data(), len, 0);
		return out;
	}

	const cprng_fortuna_state &state() const
	{
		return s;
	}

	static constexpr Schedule schedule = all_at_once;

private:
	cprng_fortuna_state s;
};

// Returns the number of the reseed that locks the attacker out, or 0 if that takes more than `reseeds` after the
// disclosure. Afterwards the attacker keeps trying (at most 2^12 times per reseed), and must find nothing.
template <typename Target>
std::uint64_t attack(const cprng_engine *engine, const Scene &scene, unsigned int limit, std::uint64_t reseeds)
{
	const std::string seed = std::string("recovery ") + engine->name;
	run::Random random(seed.c_str());
	Target victim(engine);
	std::uint64_t n = 1, lost = 0;

	for (; n <= scene.warm_up; n++) {
		victim.live(happenings(random, scene, n));
		victim.read(1 + random.below(100));
	}
	REQUIRE(victim.state().accumulator.reseeds == scene.warm_up);
	Attacker attacker(victim.state(), Target::schedule);
	CHECK(attacker.predict(40) == victim.read(40));

	for (; n <= scene.warm_up + reseeds; n++) {
		const auto all = happenings(random, scene, n);
		for (const Happening &h : all)
			attacker.sees(h.event, h.bits);
		if (Target::schedule == fortunas_schedule)
			REQUIRE(attacker.bits_of_next_reseed() == unknown_bits(scene, n));
		victim.live(all);
		REQUIRE(victim.state().accumulator.reseeds == n);
		const bool follows = attacker.follows(victim.read(16), lost == 0 ? limit : std::min(limit, 12u));
		CHECK(follows == attacker.knows(victim.state().generator));
		if (!follows && lost == 0)
			lost = n;
		if (follows != (lost == 0)) {
			FAIL("the attacker is back at reseed " << n);
		}
		CHECK((attacker.predict(16) == victim.read(16)) == follows);
	}
	return lost;
}

// Fewer under an emulator.
unsigned int limit_of_run()
{
	return run::seconds < 1 ? 10 : 16;
}

} // namespace

// Catches an error in the test's own theory.
TEST_CASE("recovery: the theory, by hand")
{
	CHECK(lost_at({ 1, { { 32, 1, 4 } }, 0 }, 16) == 4);  // 4, 12, (4,) 28
	CHECK(lost_at({ 1, { { 32, 1, 5 } }, 0 }, 16) == 4);  // 5, 15, (5,) 35
	CHECK(lost_at({ 1, { { 32, 1, 6 } }, 0 }, 16) == 2);  // 6, 18
	CHECK(lost_at({ 1, { { 32, 1, 4 } }, 0 }, 28) == 8);  // 4, 12, 28, 60
	CHECK(lost_at({ 1, { { 8, 1, 4 } }, 0 }, 16) == 16);  // pool 4 has 4 events then, pool 3 has 2, pool 2 has 1
	CHECK(lost_at({ 1, { { 1, 1, 4 } }, 0 }, 16) == 128); // pool 7 has 4, pool 6 has 2, pool 5 has 1
	CHECK(lost_at({ 1, { { 1, 4, 4 } }, 0 }, 16) == 512); // a quarter of the events, four times as long
	CHECK(lost_at({ 1, { { 1, 4096, 8 } }, 0 }, 16) >= 1 << 15);       // whatever the rate
	CHECK(lost_at({ 1, { { 32, 1, 4 }, { 32, 1, 4 } }, 0 }, 16) == 2); // 8, 24
	for (unsigned int bits = 1; bits <= 8; bits++) {
		unsigned int i = 0;
		while (bits * ((2u << i) - 1) <= 16)
			i++;
		CHECK(lost_at({ 1, { { 32, 1, bits } }, 0 }, 16) == 1u << i);
	}
}

// Catches pools that are emptied too early, so that the attacker can follow.
TEST_CASE("recovery: the attacker follows as far as theory says, and not one reseed further")
{
	const unsigned int limit = limit_of_run();
	const Scene scenes[] = {
		{ 1, { { 32, 1, 4 } }, 0 },
		{ 3, { { 32, 1, 5 } }, 0 },
		{ 200, { { 32, 1, 6 } }, 0 }, // one good source among 201
		{ 1, { { 8, 1, 4 } }, 0 },
		{ 2, { { 3, 1, 5 } }, 5 },
		{ 1, { { 1, 1, 4 } }, 0 },
		{ 1, { { 1, 2, 4 } }, 33 },
		{ 2, { { 5, 1, 4 }, { 1, 3, 6 }, { 2, 7, 5 } }, 11 },
		{ 7, { { 1, 1, 2 }, { 1, 1, 2 } }, 2 },
	};

	for (std::size_t i = 0; i < CPRNG_ARRAY_SIZE(scenes); i++) {
		CAPTURE(i);
		const std::uint64_t n = lost_at(scenes[i], limit);
		const cprng_engine *engine = fortuna_engines()[i % 2];
		// Twice as long, to see whether the attacker recovers.
		CHECK(attack<Victim>(engine, scenes[i], limit, 2 * (n - scenes[i].warm_up) + 8) == n);
	}
}

// The same attack on a generator that takes every pool at every reseed: with a few unknown bits each time the attacker
// always follows, which the pools prevent.
// Catches an attack that could never succeed.
TEST_CASE("recovery: with all pools at every reseed, the attacker is never lost")
{
	const Scene scene = { 1, { { 2, 1, 4 } }, 0 };
	const std::uint64_t n = lost_at(scene, limit_of_run());

	CHECK(attack<Greedy>(cprng_engine_find("chacha20"), scene, limit_of_run(), 3 * n) == 0);
	CHECK(attack<Victim>(cprng_engine_find("chacha20"), scene, limit_of_run(), 3 * n) == n);
}

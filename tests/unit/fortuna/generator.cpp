// SPDX-License-Identifier: BSD-2-Clause
// Only the generator: step and expand compared with the reference, at every length near block and piece sizes, at counters
// that carry, and what they leave in memory.
#include "doctest/doctest.h"

#include "fixture.hpp"
#include "reference.hpp"

#include "fortuna/generator.h"

#include <set>
#include <string>

namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{ 0 };

cprng_uint128 minus(cprng_uint128 a, std::uint64_t n)
{
	return { a.hi - (a.lo < n ? 1 : 0), a.lo - n };
}

cprng_generator make(const cprng_engine *engine, const cprng_backend *backend, const Bytes &key, cprng_uint128 counter)
{
	cprng_generator g;

	std::memset(&g, 0xa5, sizeof(g));
	cprng_generator_init(&g, engine, backend);
	CHECK(all_zero(g.key));
	CHECK_FALSE(cprng_generator_seeded(&g));
	std::copy(key.begin(), key.end(), g.key);
	g.counter = counter;
	return g;
}

std::string where(const cprng_generator &g, std::size_t len)
{
	char s[100];

	std::snprintf(s, sizeof(s), ", counter %016llx:%016llx, %zu bytes",
		      static_cast<unsigned long long>(g.counter.hi), static_cast<unsigned long long>(g.counter.lo),
		      len);
	return label(g.engine, g.backend) + s;
}

// Generates one piece into memory that detects writes outside it.
void check_piece(cprng_generator g, std::size_t len, unsigned int flags)
{
	const std::string what = where(g, len);
	reference::Generator model(g.engine, Bytes(g.key, g.key + sizeof(g.key)), g.counter, true);
	const Bytes want = model.piece(len);
	Guarded out(len, flags != 0 ? 0 : len % 64);
	cprng_lease lease;

	std::memset(static_cast<void *>(&lease), 0xa5, sizeof(lease));
	cprng_generator_step(&g, len, &lease);
	if (!model.equals(g.key, g.counter))
		FAIL_CHECK("wrong key or counter after " << what);
	cprng_lease_expand(&lease, out.data(), len, flags);
	same(out.data(), want.data(), len, "output of " + what);
	if (!out.intact())
		FAIL_CHECK("wrote beside the buffer: " << what);
	if (!all_zero(lease))
		FAIL_CHECK("left something in the lease: " << what);
	if (!model.equals(g.key, g.counter))
		FAIL_CHECK("expand changed the generator: " << what);
}

// Counters before carries: out of 32-bit and 64-bit words, out of the whole counter, and with all ones.
const cprng_uint128 edges[] = {
	{ 0, 0x100000000 },        { 0, 0x8000000000000000 }, { 1, 0 },
	{ 0x0123456789abcdef, 0 }, { 0x100000000, 0 },        { 0xffffffff, 0x100000000 },
	{ 0x8000000000000000, 0 }, { all_ones, 0 },           { 0, 0 },
};

} // namespace

// Catches a wrong block, key or counter at a carry or a block's end.
TEST_CASE("generator: pieces of every length about blocks, at every carry")
{
	run::Random random("generator pieces");
	const run::Clock clock;
	std::size_t pieces = 0;

	// All carries, at least once and as often as time permits.
	do {
		for (const cprng_engine *engine : fortuna_engines()) {
			for (const cprng_backend *backend : usable_backends(engine)) {
				const std::size_t size = engine->block_size;
				for (cprng_uint128 edge : edges) {
					const std::size_t blocks = random.below(20); // 0: a piece of 1 byte
					const std::size_t len =
						std::max<std::size_t>(2, blocks * size + random.below(3)) - 1;
					const cprng_uint128 start = minus(edge, random.below(blocks + 5));
					check_piece(make(engine, backend, random.bytes(32), start), len,
						    random.coin() ? CPRNG_STREAMING : 0);
					pieces++;
				}
			}
		}
	} while (clock.left());
	MESSAGE(pieces << " pieces");
}

// Catches a short read that takes too few or too many blocks.
TEST_CASE("generator: all short lengths, from every block before a carry")
{
	run::Random random("generator short");

	for (const cprng_engine *engine : fortuna_engines()) {
		const cprng_backend *backend = cprng_engine_select(engine);
		for (std::size_t len = 1; len <= 4u * engine->block_size + 1; len++) {
			for (cprng_uint128 edge : { edges[2], edges[3], edges[8] }) {
				const Bytes key = random.bytes(32);
				check_piece(make(engine, backend, key, minus(edge, random.below(9))), len, 0);
				if (len % 16 <= 1 || len % 16 == 15) {
					for (std::uint64_t before = 0; before < 8; before++)
						check_piece(make(engine, backend, key, minus(edge, before)), len, 0);
				}
			}
		}
	}
}

// Catches a batch that is split wrongly at a carry.
TEST_CASE("generator: long pieces, over a carry and not")
{
	run::Random random("generator long");
	const std::size_t mib = 1 << 20;

	for (const cprng_engine *engine : fortuna_engines()) {
		const std::size_t blocks = mib / engine->block_size;
		std::vector<std::size_t> lengths = { mib, mib - 1 };
		if (!is_aes(engine))
			lengths = { mib, 3 * mib + 17 };
		// Slow machines test only the first and the last lengths.
		if (run::seconds < 1)
			lengths = { mib / 8 - 1 };
		for (std::size_t len : lengths) {
			for (cprng_uint128 start :
			     { cprng_uint128{ 0, 1 }, minus({ 1, 0 }, blocks / 16), minus({ 0, 0 }, blocks / 16 + 1) })
				check_piece(make(engine, cprng_engine_select(engine), random.bytes(32), start), len,
					    CPRNG_STREAMING);
		}
	}
}

// Catches a piece longer than one key may serve.
TEST_CASE("generator: the longest piece")
{
	cprng_generator g;

	cprng_generator_init(&g, cprng_engine_find("aes256-ctr"), portable_backend(cprng_engine_find("aes256-ctr")));
	CHECK(cprng_generator_piece_max(&g) == 1u << 20);
	// A step costs the same for any read, even one larger than memory.
	cprng_generator_init(&g, cprng_engine_find("chacha20"), portable_backend(cprng_engine_find("chacha20")));
	REQUIRE(cprng_generator_piece_max(&g) == SIZE_MAX);
	cprng_generator_reseed(&g, "seed", 4);
	cprng_lease lease;
	cprng_generator_step(&g, SIZE_MAX, &lease);
	CHECK(g.counter.hi == 0);
	CHECK(g.counter.lo == 1 + (SIZE_MAX / 64 + 1) + 1);
}

// Catches a reseed without the old key, the seed, or the counter's step.
TEST_CASE("generator: reseeds")
{
	run::Random random("generator reseed");

	for (const cprng_engine *engine : fortuna_engines()) {
		cprng_generator g;
		reference::Generator model(engine);
		cprng_generator_init(&g, engine, cprng_engine_select(engine));
		for (std::size_t len = 0; len < 300; len++) {
			const Bytes seed = random.bytes(len);
			cprng_generator_reseed(&g, seed.data(), seed.size());
			model.reseed(seed);
			REQUIRE(model.equals(g.key, g.counter));
			REQUIRE(cprng_generator_seeded(&g));
		}
		// A reseed also counts across every carry.
		for (cprng_uint128 edge : edges) {
			g.counter = model.counter = minus(edge, 1);
			const Bytes seed = random.bytes(32);
			cprng_generator_reseed(&g, seed.data(), seed.size());
			model.reseed(seed);
			CHECK(model.equals(g.key, g.counter));
		}
	}
}

// Catches a read that does not change the key.
TEST_CASE("generator: every read has another key")
{
	run::Random random("generator keys");

	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			Fortuna f(engine, CPRNG_POOL_MIN_LEAST, locked);
			std::set<Bytes> keys, blocks;
			f.seed(random.bytes(32));
			for (int i = 0; i < 1000; i++) {
				const cprng_generator &g = f.generator();
				CHECK(keys.insert(Bytes(g.key, g.key + sizeof(g.key))).second);
				CHECK(blocks.insert(f.read(16)).second);
				// The reader received no part of the key, and no output remains in the generator.
				const Bytes out = f.read(64);
				const Bytes key(g.key, g.key + 16);
				CHECK(std::search(out.begin(), out.end(), key.begin(), key.end()) == out.end());
			}
		}
	}
}

// Catches a wrong state after a sequence of reads and reseeds.
TEST_CASE("generator: every block of a random sequence of reads is the reference's")
{
	run::Random random("generator reads");

	for (const cprng_engine *engine : fortuna_engines()) {
		Fortuna f(engine);
		reference::Generator model(engine);
		for (std::size_t i = volume(400, 40); i != 0; i--) {
			if (i % 10 == 0) {
				const Bytes seed = random.bytes(random.below(100));
				f.seed(seed);
				model.reseed(seed);
			}
			if (random.below(20) == 0)
				f.generator().counter = model.counter =
					minus(edges[random.below(9)], 1 + random.below(30));
			const bool locked = random.coin();
			f.set_locked_reads(locked);
			const std::size_t len = 1 + random.below(random.coin() ? 100 : 15000);
			if (model.counter.hi == 0 && model.counter.lo == 0)
				f.generator().counter = model.counter = { 0, 1 }; // 0 means unseeded
			// A read that must not wait does not generate under the lock either.
			const bool waits = random.coin();
			CHECK(f.read(len, waits ? CPRNG_WAIT : CPRNG_NOWAIT) == model.read(len, locked && waits));
			REQUIRE(model.equals(f.generator().key, f.generator().counter));
		}
	}
}

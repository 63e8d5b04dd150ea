// SPDX-License-Identifier: BSD-2-Clause
// Objects: streams of every engine, and Fortuna with both of its engines.
#include "doctest/doctest.h"

#include "seams.hpp"

namespace {

// Stream lengths beyond the widest batch of any backend (32 blocks of 64 bytes), plus a remainder.
constexpr std::size_t stream_most = 2048 + 300;

// A stream with a new key in each call.
class Reader {
public:
	explicit Reader(const cprng_engine *engine) : engine(engine)
	{
	}

	bool operator()(void *buf, std::size_t len)
	{
		std::uint8_t key[32] = {};
		cprng_stream stream;

		calls++;
		std::memcpy(key, &calls, sizeof(calls));
		const bool done = cprng_stream_init(&stream, engine->name, key, engine->key_sizes[0], nullptr, 0) ==
					  0 &&
				  cprng_stream_read(&stream, buf, len) == 0 && cprng_stream_tell(&stream) == len;
		cprng_stream_wipe(&stream);
		return done;
	}

private:
	const cprng_engine *engine;
	std::uint64_t calls = 0;
};

struct Object {
	Object(const char *engine, bool locked)
	{
		static const std::uint8_t seed[32] = { 'l', 'e', 'n', 'g', 't', 'h', 's' };
		cprng_fortuna_options options = {};
		options.engine = engine;
		options.locked_reads = locked;
		REQUIRE(cprng_fortuna_new(&f, &options, sizeof(options)) == 0);
		REQUIRE(cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
	}
	~Object()
	{
		cprng_fortuna_free(f);
	}
	Object(const Object &) = delete;
	Object &operator=(const Object &) = delete;

	// This many blocks remain before the counter's low half wraps.
	void wrap_after(std::uint64_t blocks)
	{
		f->core.state->generator.counter.lo = 0 - blocks;
	}

	bool read(void *buf, std::size_t len)
	{
		return cprng_fortuna_read(f, buf, len) == 0;
	}

	cprng_fortuna *f = nullptr;
};

void check_objects(const char *engine)
{
	for (bool locked : { false, true }) {
		Object o(engine, locked);
		lengths::check(locked ? "locked" : "concurrent",
			       [&o](void *buf, std::size_t len) { return o.read(buf, len); });
	}
}

} // namespace

// Catches an unfilled byte, and a byte written beyond the request.
TEST_CASE("lengths: cprng_stream_read, every engine")
{
	for (const cprng_engine *engine = cprng_engines; engine->name != nullptr; engine++)
		lengths::check(engine->name, Reader(engine), stream_most);
}

// Catches a byte that a piece or a new key leaves unfilled.
TEST_CASE("lengths: cprng_fortuna_read, aes256-ctr")
{
	SKIP_IF(!machine::buffered(), "no objects");
	check_objects("aes256-ctr");
}

// Catches a byte that a piece or a new key leaves unfilled.
TEST_CASE("lengths: cprng_fortuna_read, chacha20")
{
	SKIP_IF(!machine::buffered(), "no objects");
	check_objects("chacha20");
}

// Catches an unfilled byte where the counter's low half wraps.
TEST_CASE("lengths: cprng_fortuna_read, over the wrap of the counter's low half")
{
	SKIP_IF(!machine::buffered(), "no objects");
	for (const char *engine : { "aes256-ctr", "chacha20" }) {
		// At the first block, after it, in the middle of a batch, and where the next key is made.
		for (std::uint64_t blocks : { 1u, 2u, 11u, 40u }) {
			Object o(engine, false);
			lengths::check(
				engine,
				[&o, blocks](void *buf, std::size_t len) {
					o.wrap_after(blocks);
					return o.read(buf, len);
				},
				std::size_t{ 16 } * CPRNG_REKEY_BLOCKS_AES + 200);
		}
	}
}

// Catches a length at which a non-waiting read does less than a waiting one.
TEST_CASE("lengths: cprng_fortuna_core_read without waiting, more than a piece")
{
	SKIP_IF(!machine::buffered(), "no objects");
	for (const char *engine : { "aes256-ctr", "chacha20" }) {
		Object o(engine, false);
		lengths::check(
			engine,
			[&o](void *buf, std::size_t len) {
				return cprng_fortuna_core_read(&o.f->core, buf, len, CPRNG_NOWAIT) == CPRNG_FORTUNA_OK;
			},
			std::size_t{ 16 } * CPRNG_REKEY_BLOCKS_AES + 200);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// Streams made from seeds and from other streams, steps and checkpoints.  stream_vectors.cpp tests their bits.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <string>

namespace {

cprng_stream opened(const char *engine = "chacha8")
{
	const Bytes key(32, 0x53);
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, engine, key.data(), key.size(), nullptr, 0) == 0);
	return s;
}

cprng_stream from_integer(std::uint64_t seed, const char *engine = nullptr)
{
	cprng_stream s;
	REQUIRE(cprng_stream_seed_integer(&s, engine, seed) == 0);
	return s;
}

cprng_stream child_of(const cprng_stream &parent, std::uint64_t index)
{
	cprng_stream s;
	REQUIRE(cprng_stream_child(&parent, index, &s) == 0);
	return s;
}

Bytes first_bytes(const cprng_stream &stream, std::size_t n = 32)
{
	cprng_stream s = stream;
	Bytes out(n);
	REQUIRE(cprng_stream_read(&s, out.data(), n) == 0);
	return out;
}

Bytes checkpoint_of(const cprng_stream &s)
{
	Bytes out(CPRNG_STREAM_CHECKPOINT_SIZE);
	REQUIRE(cprng_stream_save(&s, out.data(), out.size()) == 0);
	return out;
}

bool same_object(const cprng_stream &a, const cprng_stream &b)
{
	return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// All of these streams must differ.
class Distinct {
public:
	void add(const cprng_stream &s)
	{
		const Bytes got = first_bytes(s);
		CHECK(std::find(seen.begin(), seen.end(), got) == seen.end());
		seen.push_back(got);
	}

private:
	std::vector<Bytes> seen;
};

} // namespace

// Catches two seeds, kinds of seed, engines or children that give the same stream.
TEST_CASE("stream seeds: every seed, kind, engine and child gives another stream")
{
	Distinct distinct;
	cprng_stream s;

	for (const cprng_engine *engine : all_engines()) {
		for (std::uint64_t seed :
		     { UINT64_C(0), UINT64_C(1), UINT64_C(0x31), UINT64_C(256), UINT64_C(1) << 32, UINT64_MAX })
			distinct.add(from_integer(seed, engine->name));
		for (const char *seed : { "1", "2", "12", "1 ", "0123456789abcdef" }) {
			REQUIRE(cprng_stream_seed_string(&s, engine->name, seed) == 0);
			distinct.add(s);
		}
		for (const char *seed : { "0123456789abcdef", "0123456789abcdeg", "0123456789abcdef0" }) {
			REQUIRE(cprng_stream_seed_bytes(&s, engine->name, seed, std::strlen(seed)) == 0);
			distinct.add(s);
		}
		const Bytes zeros(40);
		for (std::size_t len : { 16, 17, 40 }) {
			REQUIRE(cprng_stream_seed_bytes(&s, engine->name, zeros.data(), len) == 0);
			distinct.add(s);
		}
		// children, their children, and children of another nonce or key
		const cprng_stream parent = from_integer(0, engine->name);
		for (std::uint64_t index : { UINT64_C(0), UINT64_C(1), UINT64_C(256), UINT64_MAX }) {
			distinct.add(child_of(parent, index));
			distinct.add(child_of(child_of(parent, index), 0));
		}
		Bytes nonce(engine->nonce_sizes[0], 1), short_key(engine->key_sizes[0]);
		REQUIRE(cprng_stream_init(&s, engine->name, short_key.data(), short_key.size(), nonce.data(),
					  nonce.size()) == 0);
		distinct.add(child_of(s, 0));
		nonce.back() = 2;
		REQUIRE(cprng_stream_init(&s, engine->name, short_key.data(), short_key.size(), nonce.data(),
					  nonce.size()) == 0);
		distinct.add(child_of(s, 0));
	}
	// The default engine can also be chosen by name.
	CHECK(first_bytes(from_integer(7)) == first_bytes(from_integer(7, CPRNG_STREAM_ENGINE)));
}

// Catches an integer with two streams, a negative one that is not itself, and text that is not the string of its bytes.
TEST_CASE("stream seeds: integers of any size, and text by its length")
{
	std::uint8_t value[20] = { 0x2a, 0, 1 };
	cprng_stream s, t;
	Distinct distinct;

	for (std::size_t len : { 3, 8, 20 }) {
		REQUIRE(cprng_stream_seed_number(&s, "aes256-ctr", value, len, 0) == 0);
		CHECK(first_bytes(s) == first_bytes(from_integer(0x1002a, "aes256-ctr")));
	}
	for (std::size_t len : { 0, 1, 20 }) {
		const std::uint8_t zeros[20] = {};
		for (int negative : { 0, 1 }) {
			REQUIRE(cprng_stream_seed_number(&s, nullptr, len == 0 ? nullptr : zeros, len, negative) == 0);
			CHECK(first_bytes(s) == first_bytes(from_integer(0)));
		}
	}
	value[19] = 1;
	for (int negative : { 0, 1 })
		for (std::size_t len : { 3, 20 }) {
			REQUIRE(cprng_stream_seed_number(&s, nullptr, value, len, negative) == 0);
			distinct.add(s);
		}
	REQUIRE(cprng_stream_seed_text(&s, nullptr, "a seed and more", 6) == 0);
	REQUIRE(cprng_stream_seed_string(&t, nullptr, "a seed") == 0);
	CHECK(first_bytes(s) == first_bytes(t));
}

// Catches a child stream that depends on earlier reads of its parent, and a parent that is changed.
TEST_CASE("stream seeds: a child depends on the parent's key, not on its offset")
{
	cprng_stream parent = from_integer(3), before;
	const Bytes want = first_bytes(child_of(parent, 5));

	cprng_stream_u32(&parent);
	std::memcpy(&before, &parent, sizeof(parent));
	CHECK(first_bytes(child_of(parent, 5)) == want);
	CHECK(same_object(parent, before));
	REQUIRE(cprng_stream_child(&parent, 5, &parent) == 0);
	CHECK(cprng_stream_tell(&parent) == 0);
	CHECK(first_bytes(parent) == want);
}

// Catches a step to the wrong place, and a step beyond an end.
TEST_CASE("stream seeds: steps forward and back")
{
	cprng_stream s = opened(), t = s;

	REQUIRE(cprng_stream_advance(&s, 1000003) == 0);
	CHECK(cprng_stream_tell(&s) == 1000003);
	REQUIRE(cprng_stream_seek(&t, 1000003) == 0);
	CHECK(cprng_stream_u64(&s) == cprng_stream_u64(&t));
	REQUIRE(cprng_stream_advance(&s, -8) == 0);
	CHECK(cprng_stream_tell(&s) == 1000003);
	REQUIRE(cprng_stream_advance(&s, 0) == 0);
	cprng_stream before = s;
	CHECK(cprng_stream_advance(&s, -1000004) == CPRNG_ERR_RANGE);
	CHECK(cprng_stream_advance(&s, INT64_MIN) == CPRNG_ERR_RANGE);
	CHECK(same_object(s, before));
	REQUIRE(cprng_stream_advance(&s, -1000003) == 0);
	CHECK(cprng_stream_tell(&s) == 0);
	REQUIRE(cprng_stream_advance(&s, INT64_MAX) == 0);
	REQUIRE(cprng_stream_advance(&s, INT64_MAX) == 0);
	CHECK(cprng_stream_tell(&s) == UINT64_MAX - 1);
	CHECK(cprng_stream_advance(&s, 2) == CPRNG_ERR_RANGE);
	CHECK(cprng_stream_advance(&s, INT64_MAX) == CPRNG_ERR_RANGE);
	REQUIRE(cprng_stream_advance(&s, 1) == 0);
	CHECK(cprng_stream_advance(nullptr, 0) == CPRNG_ERR_ARGUMENT);
	cprng_stream_wipe(&s);
	CHECK(cprng_stream_advance(&s, 0) == CPRNG_ERR_ARGUMENT);
}

// Catches an invalid seed that is accepted, or that changes the object.
TEST_CASE("stream seeds: refusals leave the object as it was")
{
	cprng_stream s = opened(), before, dead;
	const char text[20] = "0123456789abcdef";

	cprng_stream_u32(&s);
	std::memcpy(&before, &s, sizeof(s));
	std::memset(&dead, 0, sizeof(dead));
	CHECK(cprng_stream_seed_integer(nullptr, nullptr, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_integer(&s, "chacha9", 1) == CPRNG_ERR_ENGINE);
	CHECK(cprng_stream_seed_string(nullptr, nullptr, text) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_string(&s, nullptr, nullptr) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_string(&s, nullptr, "") == CPRNG_ERR_SIZE);
	CHECK(cprng_stream_seed_string(&s, "", text) == CPRNG_ERR_ENGINE);
	CHECK(cprng_stream_seed_text(nullptr, nullptr, text, 2) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_text(&s, nullptr, nullptr, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_text(&s, nullptr, text, 0) == CPRNG_ERR_SIZE);
	CHECK(cprng_stream_seed_text(&s, nullptr, text, 17) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_text(&s, "none", text, 2) == CPRNG_ERR_ENGINE);
	CHECK(cprng_stream_seed_number(nullptr, nullptr, text, 2, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_number(&s, nullptr, nullptr, 2, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_number(&s, "none", text, 2, 0) == CPRNG_ERR_ENGINE);
	CHECK(cprng_stream_seed_bytes(nullptr, nullptr, text, 16) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_bytes(&s, nullptr, nullptr, 16) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seed_bytes(&s, nullptr, text, 15) == CPRNG_ERR_SIZE);
	CHECK(cprng_stream_seed_bytes(&s, nullptr, text, 0) == CPRNG_ERR_SIZE);
	CHECK(cprng_stream_seed_bytes(&s, "aes", text, 16) == CPRNG_ERR_ENGINE);
	CHECK(cprng_stream_child(nullptr, 0, &s) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_child(&dead, 0, &s) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_child(&s, 0, nullptr) == CPRNG_ERR_ARGUMENT);
	CHECK(same_object(s, before));
}

// Catches a checkpoint that lacks a part of the state.
TEST_CASE("stream checkpoints: go on where it was saved, with every engine, key, nonce and offset")
{
	run::Random random("stream checkpoints");

	for (const cprng_engine *engine : all_engines()) {
		for (std::size_t key_size : sizes(engine->key_sizes)) {
			for (std::size_t nonce_size : sizes(engine->nonce_sizes)) {
				Stream s(engine, random.bytes(key_size), random.bytes(nonce_size));
				const std::uint64_t end = nonce_size == 12 ? UINT64_C(1) << 38 : UINT64_MAX;
				for (std::uint64_t offset :
				     { UINT64_C(0), UINT64_C(1), UINT64_C(1000), UINT64_C(1) << 33, end - 100, end }) {
					REQUIRE(cprng_stream_seek(s.get(), offset) == 0);
					if (offset != 0 && offset < end)
						cprng_stream_u8(s.get());
					const Bytes saved = checkpoint_of(*s.get());
					cprng_stream t = opened();
					REQUIRE(cprng_stream_restore(&t, saved.data(), saved.size()) == 0);
					CHECK(cprng_stream_tell(&t) == cprng_stream_tell(s.get()));
					CHECK(checkpoint_of(t) == saved);
					const std::uint64_t left = end - cprng_stream_tell(&t);
					CHECK(first_bytes(t, left < 50 ? static_cast<std::size_t>(left) : 50) ==
					      first_bytes(*s.get(), left < 50 ? static_cast<std::size_t>(left) : 50));
					CHECK(cprng_stream_child(&t, 1, &t) == 0);
					CHECK(first_bytes(t) == first_bytes(child_of(*s.get(), 1)));
				}
			}
		}
	}
}

// Catches a damaged checkpoint that is used, or that changes the object.
TEST_CASE("stream checkpoints: what is damaged, cut or foreign is refused, and the object stays")
{
	cprng_stream s = opened("aes256-ctr"), other = opened();
	cprng_stream_u32(&other);
	cprng_stream before;
	std::memcpy(&before, &other, sizeof(other));
	const Bytes good = checkpoint_of(s);

	for (std::size_t i = 0; i < good.size(); i++) {
		for (int bit : { 0, 3, 7 }) {
			Bytes bad = good;
			bad[i] ^= static_cast<std::uint8_t>(1 << bit);
			REQUIRE(cprng_stream_restore(&other, bad.data(), bad.size()) == CPRNG_ERR_CHECKPOINT);
		}
	}
	Bytes longer = good;
	longer.push_back(0);
	for (std::size_t len = 0; len < longer.size(); len++) {
		if (len != good.size())
			REQUIRE(cprng_stream_restore(&other, good.data(), len) == CPRNG_ERR_CHECKPOINT);
	}
	CHECK(cprng_stream_restore(&other, longer.data(), longer.size()) == CPRNG_ERR_CHECKPOINT);
	const Bytes zeros(good.size()), ones(good.size(), 0xff);
	CHECK(cprng_stream_restore(&other, zeros.data(), zeros.size()) == CPRNG_ERR_CHECKPOINT);
	CHECK(cprng_stream_restore(&other, ones.data(), ones.size()) == CPRNG_ERR_CHECKPOINT);
	CHECK(cprng_stream_restore(&other, nullptr, good.size()) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_restore(nullptr, good.data(), good.size()) == CPRNG_ERR_ARGUMENT);
	CHECK(same_object(other, before));

	Guarded room(CPRNG_STREAM_CHECKPOINT_SIZE + 10);
	CHECK(cprng_stream_save(&s, room.data(), CPRNG_STREAM_CHECKPOINT_SIZE - 1) == CPRNG_ERR_SIZE);
	CHECK(cprng_stream_save(&s, nullptr, CPRNG_STREAM_CHECKPOINT_SIZE) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_save(nullptr, room.data(), 200) == CPRNG_ERR_ARGUMENT);
	cprng_stream_wipe(&other);
	CHECK(cprng_stream_save(&other, room.data(), CPRNG_STREAM_CHECKPOINT_SIZE) == CPRNG_ERR_ARGUMENT);
	CHECK(room.untouched());
	REQUIRE(cprng_stream_save(&s, room.data(), CPRNG_STREAM_CHECKPOINT_SIZE + 10) == 0);
	CHECK(std::memcmp(room.data(), good.data(), good.size()) == 0);
}

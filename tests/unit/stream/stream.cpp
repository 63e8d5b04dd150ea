// SPDX-License-Identifier: BSD-2-Clause
// Seeded streams: errors, ends, copies and erasure.  known_vectors.cpp in tests/unit/engine and stream_splits.cpp test
// their bytes.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

namespace {

const Bytes key32(32, 0x11), key16(16, 0x22), nonce16(16, 0x33);
constexpr std::uint64_t last_offset = UINT64_MAX; // of streams with 64-bit byte offsets

bool all_zero(const void *p, std::size_t n)
{
	const auto *b = static_cast<const std::uint8_t *>(p);
	return std::all_of(b, b + n, [](std::uint8_t x) { return x == 0; });
}

// A stream object that contains other data before it is initialised.
struct Dirty {
	cprng_stream s;

	Dirty()
	{
		std::memset(&s, 0x5a, sizeof(s));
	}
};

void check_dead(cprng_stream *s)
{
	std::uint8_t buf[16];

	CHECK(cprng_stream_read(s, buf, sizeof(buf)) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_read(s, buf, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seek(s, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_tell(s) == 0);
}

void check_refused(int error, const char *engine, const void *key, std::size_t key_len, const void *nonce,
		   std::size_t nonce_len)
{
	Dirty d;

	INFO((engine != nullptr ? engine : "NULL") << ", key " << key_len << ", nonce " << nonce_len);
	CHECK(cprng_stream_init(&d.s, engine, key, key_len, nonce, nonce_len) == error);
	REQUIRE(all_zero(&d.s, sizeof(d.s)));
	check_dead(&d.s);
}

Bytes key_for(const cprng_engine *engine)
{
	return Bytes(engine->key_sizes[0], 0x44);
}

// The stream's last bytes before `end` can be read, and none beyond it.
void check_end(const cprng_engine *engine, const Bytes &nonce, std::uint64_t end)
{
	INFO(engine->name << ", nonce of " << nonce.size() << ", end " << end);
	Stream s(engine, key_for(engine), nonce);
	const std::size_t n = 300;
	const Bytes want = keystream(engine, portable_backend(engine), { key_for(engine), nonce, 0 }, end - n, n);

	// up to the last byte, in one read
	REQUIRE(cprng_stream_seek(s.get(), end - n) == 0);
	same(s.read(n).data(), want.data(), n, "the last bytes");
	CHECK(cprng_stream_tell(s.get()) == end);
	std::uint8_t byte = 0x77;
	CHECK(cprng_stream_read(s.get(), &byte, 0) == 0);
	CHECK(cprng_stream_read(s.get(), &byte, 1) == CPRNG_ERR_RANGE);
	CHECK(byte == 0x77);
	CHECK(cprng_stream_tell(s.get()) == end);

	// one byte too many: from a block border, from inside a block, and from the last byte; and far too many
	for (std::size_t back : { 300, 64, 63, 65, 16, 1, 0 }) {
		for (std::size_t len :
		     { back + 1, back + 64, std::size_t{ 400 }, SIZE_MAX / 2, SIZE_MAX - 63, SIZE_MAX }) {
			Guarded buf(400);
			REQUIRE(cprng_stream_seek(s.get(), end - back) == 0);
			CHECK(cprng_stream_read(s.get(), buf.data(), len) == CPRNG_ERR_RANGE);
			CHECK(buf.untouched());
			CHECK(cprng_stream_tell(s.get()) == end - back);
			// and the stream continues as if the request had not been made
			same(s.read(back).data(), want.data() + n - back, back, "after a refused read");
		}
	}

	// with part of a block read already
	REQUIRE(cprng_stream_seek(s.get(), end - 70) == 0);
	same(s.read(33).data(), want.data() + n - 70, 33, "part of a block");
	Guarded buf(64);
	CHECK(cprng_stream_read(s.get(), buf.data(), 38) == CPRNG_ERR_RANGE);
	CHECK(buf.untouched());
	CHECK(cprng_stream_read(s.get(), buf.data(), 37) == 0);
	same(buf.data(), want.data() + n - 37, 37, "the rest");

	// seeks
	REQUIRE(cprng_stream_seek(s.get(), 12345) == 0);
	CHECK(cprng_stream_seek(s.get(), end) == 0);
	CHECK(cprng_stream_tell(s.get()) == end);
	REQUIRE(cprng_stream_seek(s.get(), 12345) == 0);
	if (end != last_offset) {
		for (std::uint64_t past : { end + 1, end + 64, end * 2, last_offset }) {
			CHECK(cprng_stream_seek(s.get(), past) == CPRNG_ERR_RANGE);
			CHECK(cprng_stream_tell(s.get()) == 12345);
		}
		const Bytes there =
			keystream(engine, portable_backend(engine), { key_for(engine), nonce, 0 }, 12345, 99);
		same(s.read(99).data(), there.data(), 99, "after a refused seek");
	}
}

} // namespace

// Catches a refused stream that can be read.
TEST_CASE("stream: refusals leave the object zero")
{
	const void *k = key32.data(), *n = nonce16.data();

	for (const char *name :
	     { "", "chacha", "chacha21", "CHACHA20", "chacha20 ", "salsa20/12", "aes", "aes192-ctr", "rc4" })
		check_refused(CPRNG_ERR_ENGINE, name, k, 32, n, 8);
	check_refused(CPRNG_ERR_ARGUMENT, nullptr, k, 32, n, 8);
	check_refused(CPRNG_ERR_ARGUMENT, "chacha20", nullptr, 32, n, 8);
	check_refused(CPRNG_ERR_ARGUMENT, "chacha20", k, 32, nullptr, 8);
	CHECK(cprng_stream_init(nullptr, "chacha20", k, 32, n, 8) == CPRNG_ERR_ARGUMENT);

	Bytes large(600, 1);
	for (const cprng_engine *engine : all_engines()) {
		const auto keys = sizes(engine->key_sizes), nonces = sizes(engine->nonce_sizes);
		for (std::size_t len = 0; len <= 600; len += len < 70 ? 1 : 53) {
			if (std::find(keys.begin(), keys.end(), len) == keys.end())
				check_refused(CPRNG_ERR_KEY_SIZE, engine->name, large.data(), len, large.data(),
					      nonces[0]);
			if (std::find(nonces.begin(), nonces.end(), len) == nonces.end() && len != 0)
				check_refused(CPRNG_ERR_NONCE_SIZE, engine->name, large.data(), keys[0], large.data(),
					      len);
		}
		check_refused(CPRNG_ERR_KEY_SIZE, engine->name, k, SIZE_MAX, n, nonces[0]);
		check_refused(CPRNG_ERR_KEY_SIZE, engine->name, k, keys[0] + 256, n, nonces[0]); // sizes are in bytes
		check_refused(CPRNG_ERR_NONCE_SIZE, engine->name, k, keys[0], n, nonces[0] + 256);
		check_refused(CPRNG_ERR_NONCE_SIZE, engine->name, k, keys[0], n, SIZE_MAX);
	}
}

// Catches a header with other sizes: each size of ChaCha's nonce gives a different set of streams.
TEST_CASE("stream: ChaCha's nonce of 8 bytes is that of 12 with four zero bytes before it")
{
	for (const char *engine : { "chacha20", "chacha12", "chacha8" }) {
		INFO(engine);
		for (std::size_t key_size : { 16, 32 }) {
			const Bytes key(key_size, 0x5a), nonce = { 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
			cprng_stream longer, shorter;
			Bytes a(5000), b(5000);
			REQUIRE(cprng_stream_init(&longer, engine, key.data(), key.size(), nonce.data(), 12) == 0);
			REQUIRE(cprng_stream_init(&shorter, engine, key.data(), key.size(), nonce.data() + 4, 8) == 0);
			REQUIRE(cprng_stream_read(&longer, a.data(), a.size()) == 0);
			REQUIRE(cprng_stream_read(&shorter, b.data(), b.size()) == 0);
			CHECK(a == b);
		}
	}
}

// Catches a wrong default nonce.
TEST_CASE("stream: no nonce is the first nonce size, all zero")
{
	for (const cprng_engine *engine : all_engines()) {
		const Bytes key = key_for(engine), zero(engine->nonce_sizes[0]);
		cprng_stream s;
		REQUIRE(cprng_stream_init(&s, engine->name, key.data(), key.size(), nullptr, 0) == 0);
		Bytes got(100);
		REQUIRE(cprng_stream_read(&s, got.data(), got.size()) == 0);
		const Bytes want = keystream(engine, portable_backend(engine), { key, zero, 0 }, 0, 100);
		same(got.data(), want.data(), 100, engine->name);
	}
}

// Catches an overflowing position.
TEST_CASE("stream: 8-byte and 16-byte nonces end after 2^64 - 1 bytes")
{
	for (const cprng_engine *engine : all_engines())
		check_end(engine, Bytes(engine->nonce_sizes[0], 0x55), last_offset);
	// AES's counter wraps long before its end.
	check_end(cprng_engine_find("aes256-ctr"), Bytes(16, 0xff), last_offset);
}

// Catches a counter that wraps, so that the stream repeats.
TEST_CASE("stream: 12-byte nonces end after 2^32 blocks")
{
	for (const char *name : { "chacha20", "chacha12", "chacha8" })
		check_end(cprng_engine_find(name), Bytes(12, 0x55), std::uint64_t{ 1 } << 38);
}

// Catches a NULL that is dereferenced.
TEST_CASE("stream: NULL where data is needed")
{
	cprng_stream s;

	REQUIRE(cprng_stream_init(&s, "chacha20", key32.data(), 32, nullptr, 0) == 0);
	CHECK(cprng_stream_read(&s, nullptr, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_tell(&s) == 0);
	CHECK(cprng_stream_read(&s, nullptr, 0) == 0);
	REQUIRE(cprng_stream_seek(&s, 7) == 0);
	CHECK(cprng_stream_read(&s, nullptr, 0) == 0);
	CHECK(cprng_stream_tell(&s) == 7);
	CHECK(cprng_stream_read(nullptr, nullptr, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_seek(nullptr, 0) == CPRNG_ERR_ARGUMENT);
	cprng_stream_wipe(&s);
}

// Catches a key that survives a wipe, and an object that can be read without a key.
TEST_CASE("stream: wiped and zeroed objects are dead")
{
	cprng_stream zero;
	std::memset(&zero, 0, sizeof(zero));
	check_dead(&zero);

	for (const cprng_engine *engine : all_engines()) {
		const Bytes key = key_for(engine);
		Dirty d;
		REQUIRE(cprng_stream_init(&d.s, engine->name, key.data(), key.size(), nullptr, 0) == 0);
		CHECK(!all_zero(&d.s, sizeof(d.s)));
		Bytes got(77);
		REQUIRE(cprng_stream_read(&d.s, got.data(), got.size()) == 0);
		cprng_stream_wipe(&d.s);
		CHECK(all_zero(&d.s, sizeof(d.s)));
		check_dead(&d.s);
		// and can be used again
		REQUIRE(cprng_stream_init(&d.s, engine->name, key.data(), key.size(), nullptr, 0) == 0);
		Bytes again(77);
		REQUIRE(cprng_stream_read(&d.s, again.data(), again.size()) == 0);
		CHECK(again == got);
	}
}

// Catches a write beyond the object, and an uninitialised part of the state.
TEST_CASE("stream: init writes inside the object and ignores what was there")
{
	for (const cprng_engine *engine : all_engines()) {
		const Bytes key = key_for(engine);
		struct {
			unsigned char before[64];
			cprng_stream s;
			unsigned char after[64];
		} a, b;
		std::memset(&a, 0x5a, sizeof(a));
		std::memset(&b, 0xc3, sizeof(b));
		Bytes got_a(1000), got_b(1000);
		REQUIRE(cprng_stream_init(&a.s, engine->name, key.data(), key.size(), nullptr, 0) == 0);
		REQUIRE(cprng_stream_init(&b.s, engine->name, key.data(), key.size(), nullptr, 0) == 0);
		REQUIRE(cprng_stream_read(&a.s, got_a.data(), got_a.size()) == 0);
		REQUIRE(cprng_stream_read(&b.s, got_b.data(), got_b.size()) == 0);
		CHECK(got_a == got_b);
		for (std::size_t i = 0; i < 64; i++) {
			CHECK(a.before[i] == 0x5a);
			CHECK(a.after[i] == 0x5a);
		}
	}
}

// Catches an object that points into itself or that shares state with its copy.
TEST_CASE("stream: a copy continues on its own")
{
	for (const cprng_engine *engine : all_engines()) {
		const Bytes key = key_for(engine), nonce(engine->nonce_sizes[0], 9);
		const Bytes want = keystream(engine, portable_backend(engine), { key, nonce, 0 }, 0, 3000);
		Stream original(engine, key, nonce);
		same(original.read(1001).data(), want.data(), 1001, "before");

		cprng_stream copy = *original.get();
		Bytes got(500);
		REQUIRE(cprng_stream_read(&copy, got.data(), 500) == 0);
		same(got.data(), want.data() + 1001, 500, "copy");
		CHECK(cprng_stream_tell(original.get()) == 1001);
		same(original.read(1999).data(), want.data() + 1001, 1999, "original");
		CHECK(cprng_stream_tell(&copy) == 1501);
		cprng_stream_wipe(original.get());
		REQUIRE(cprng_stream_read(&copy, got.data(), 500) == 0);
		same(got.data(), want.data() + 1501, 500, "copy, the original wiped");
		cprng_stream_wipe(&copy);
	}
}

// Catches a part of the key or the nonce that has no influence.
TEST_CASE("stream: distinct keys, nonces and engines give distinct streams")
{
	std::vector<Bytes> seen;

	for (const cprng_engine *engine : all_engines()) {
		Bytes key = key_for(engine), nonce(engine->nonce_sizes[0]);
		for (int change = 0; change < 3; change++) {
			if (change == 1)
				nonce.back() ^= 1;
			if (change == 2)
				key.back() ^= 1;
			Stream s(engine, key, nonce);
			const Bytes got = s.read(64);
			CHECK(std::find(seen.begin(), seen.end(), got) == seen.end());
			seen.push_back(got);
		}
	}
}

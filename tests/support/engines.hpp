// SPDX-License-Identifier: BSD-2-Clause
// Engines and backends for tests.
#ifndef CPRNG_TESTS_ENGINES_HPP
#define CPRNG_TESTS_ENGINES_HPP

#include "buffers.hpp"
#include "run.hpp"

#include "cprng/cprng.h"
#include "cpu/cpu.h"
#include "engine/engine.h"

#include <cstring>
#include <string>
#include <vector>

inline std::vector<const cprng_engine *> all_engines()
{
	std::vector<const cprng_engine *> v;
	for (const cprng_engine *e = cprng_engines; e->name != nullptr; e++)
		v.push_back(e);
	return v;
}

// All backends built, or all that this CPU can run under the ceiling.
inline std::vector<const cprng_backend *> all_backends(const cprng_engine *engine)
{
	std::vector<const cprng_backend *> v;
	for (const cprng_backend *b = engine->family->backends; b->name != nullptr; b++)
		v.push_back(b);
	return v;
}

inline std::vector<const cprng_backend *> usable_backends(const cprng_engine *engine)
{
	std::vector<const cprng_backend *> v;
	for (const cprng_backend *b : all_backends(engine)) {
		if (cprng_backend_usable(b))
			v.push_back(b);
	}
	return v;
}

inline const cprng_backend *portable_backend(const cprng_engine *engine)
{
	const cprng_backend *b = cprng_backend_find(engine, "portable");
	REQUIRE(b != nullptr);
	return b;
}

inline std::string label(const cprng_engine *engine, const cprng_backend *backend)
{
	return std::string(engine->name) + "/" + backend->name;
}

inline bool is_aes(const cprng_engine *engine)
{
	return engine->family == &cprng_family_aesctr;
}

// An engine's key and nonce sizes.
inline std::vector<std::size_t> sizes(const std::uint8_t (&table)[2])
{
	std::vector<std::size_t> v;
	for (std::uint8_t size : table) {
		if (size != 0)
			v.push_back(size);
	}
	return v;
}

// A key, nonce and block of the engine's sizes.
struct Position {
	Bytes key, nonce;
	std::uint64_t block = 0;

	cprng_keystate set(const cprng_engine *engine, const cprng_backend *backend) const
	{
		cprng_keystate ks;
		std::memset(&ks, 0, sizeof(ks));
		backend->set_key(&ks, key.data(), key.size());
		engine->family->set_position(&ks, nonce.data(), nonce.size(), block);
		return ks;
	}
};

// A random position; every other one is near a carry of the counter.  At least `blocks` blocks remain before the counter's
// end.
inline Position random_position(run::Random &random, const cprng_engine *engine, std::uint64_t blocks)
{
	const auto keys = sizes(engine->key_sizes), nonces = sizes(engine->nonce_sizes);
	Position p;

	p.key = random.bytes(keys[random.below(keys.size())]);
	p.nonce = random.bytes(nonces[random.below(nonces.size())]);
	p.block = random.word() >> random.below(64);
	if (random.coin())
		p.block = (p.block << 32) - random.below(blocks + 2);
	if (is_aes(engine) && random.coin()) {
		p.block = random.below(3);
		std::fill(p.nonce.begin() + static_cast<std::ptrdiff_t>(random.below(16)), p.nonce.end(), 0xff);
		p.nonce.back() =
			static_cast<std::uint8_t>(0xff - random.below(std::min<std::uint64_t>(blocks, 200) + 1));
	}
	if (p.nonce.size() == 12) {
		p.block &= 0xffffffff;
		if (p.block + blocks > 0x100000000)
			p.block -= blocks;
	}
	return p;
}

// length bytes from byte `offset` of the keystream, through the backend's own function.
inline Bytes keystream(const cprng_engine *engine, const cprng_backend *backend, Position p, std::uint64_t offset,
		       std::size_t length)
{
	const std::size_t size = engine->block_size, skip = static_cast<std::size_t>(offset % size);
	const std::size_t blocks = (skip + length + size - 1) / size;
	Bytes out(blocks * size);

	p.block += offset / size;
	cprng_keystate ks = p.set(engine, backend);
	backend->keystream(&ks, engine->rounds, out.data(), blocks, 0);
	return Bytes(out.begin() + static_cast<std::ptrdiff_t>(skip),
		     out.begin() + static_cast<std::ptrdiff_t>(skip + length));
}

// A stream; opening it must succeed.
class Stream {
public:
	Stream(const cprng_engine *engine, const Bytes &key, const Bytes &nonce)
	{
		REQUIRE(cprng_stream_init(&s, engine->name, key.data(), key.size(), nonce.data(), nonce.size()) == 0);
	}

	~Stream()
	{
		cprng_stream_wipe(&s);
	}

	Stream(const Stream &) = delete;
	Stream &operator=(const Stream &) = delete;

	cprng_stream *get()
	{
		return &s;
	}

	Bytes read(std::size_t n)
	{
		Bytes out(n);
		REQUIRE(cprng_stream_read(&s, out.data(), n) == 0);
		return out;
	}

private:
	cprng_stream s;
};

#endif

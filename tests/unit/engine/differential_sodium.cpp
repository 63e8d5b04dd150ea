// SPDX-License-Identifier: BSD-2-Clause
// Comparison with libsodium: ChaCha20 with both nonces, Salsa20 with 20, 12 and 8 rounds.
#ifdef CPRNG_TEST_SODIUM

#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <sodium.h>

// libsodium warns of 8 rounds; this only compares them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

void check(const cprng_engine *engine, const Position &p, const Bytes &want, std::size_t skip)
{
	const std::size_t length = want.size() - skip;
	const std::string where = ", nonce " + std::to_string(p.nonce.size()) + ", block " + std::to_string(p.block) +
				  " + " + std::to_string(skip) + " bytes, " + std::to_string(length) + " bytes";

	for (const cprng_backend *backend : usable_backends(engine)) {
		const Bytes got = keystream(engine, backend, p, skip, length);
		same(got.data(), want.data() + skip, length, label(engine, backend) + where);
	}
	if (p.block < std::uint64_t{ 1 } << 57) {
		Stream s(engine, p.key, p.nonce);
		REQUIRE(cprng_stream_seek(s.get(), p.block * 64 + skip) == 0);
		same(s.read(length).data(), want.data() + skip, length, std::string(engine->name) + " stream" + where);
	}
}

} // namespace

// Catches an error that the published vectors miss.
TEST_CASE("libsodium: chacha20, salsa20, at any block")
{
	run::Random random("sodium");

	REQUIRE(sodium_init() >= 0);
	for (const char *name : { "chacha20", "salsa20" }) {
		const cprng_engine *engine = cprng_engine_find(name);
		for (int i = 0; i < 300; i++) {
			const std::size_t length = random.below(i < 280 ? 5000 : 300000), skip = random.below(64);
			Position p = random_position(random, engine, (skip + length + 63) / 64);
			p.key = random.bytes(32);
			const Bytes zero(skip + length);
			Bytes want(skip + length);
			int status;
			if (engine->family == &cprng_family_salsa20)
				status = crypto_stream_salsa20_xor_ic(want.data(), zero.data(), zero.size(),
								      p.nonce.data(), p.block, p.key.data());
			else if (p.nonce.size() == 8)
				status = crypto_stream_chacha20_xor_ic(want.data(), zero.data(), zero.size(),
								       p.nonce.data(), p.block, p.key.data());
			else
				status = crypto_stream_chacha20_ietf_xor_ic(want.data(), zero.data(), zero.size(),
									    p.nonce.data(),
									    static_cast<std::uint32_t>(p.block),
									    p.key.data());
			REQUIRE(status == 0);
			check(engine, p, want, skip);
		}
	}
}

// Catches an error that the published vectors miss.
TEST_CASE("libsodium: salsa20-12, salsa20-8, from the first block")
{
	run::Random random("sodium, fewer rounds");

	REQUIRE(sodium_init() >= 0);
	for (int i = 0; i < 300; i++) {
		const std::size_t skip = random.below(500), length = random.below(i < 280 ? 5000 : 300000);
		const Position p = { random.bytes(32), random.bytes(8), 0 };
		Bytes want(skip + length);
		REQUIRE(crypto_stream_salsa2012(want.data(), want.size(), p.nonce.data(), p.key.data()) == 0);
		check(cprng_engine_find("salsa20-12"), p, want, skip);
		REQUIRE(crypto_stream_salsa208(want.data(), want.size(), p.nonce.data(), p.key.data()) == 0);
		check(cprng_engine_find("salsa20-8"), p, want, skip);
	}
}

#endif

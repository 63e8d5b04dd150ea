// SPDX-License-Identifier: BSD-2-Clause
// Comparison with libcrypto: ChaCha20, AES-256 and AES-128 in counter mode.
#ifdef CPRNG_TEST_OPENSSL

#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <openssl/evp.h>

#include <memory>

namespace {

// Keystream from a block on; iv is the cipher's input: counter block, or counter and nonce.
Bytes libcrypto(const EVP_CIPHER *cipher, const Bytes &key, const Bytes &iv, std::size_t length)
{
	std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
										EVP_CIPHER_CTX_free);
	const Bytes zero(length);
	Bytes out(length);
	int written = 0;

	REQUIRE(EVP_EncryptInit_ex(context.get(), cipher, nullptr, key.data(), iv.data()) == 1);
	REQUIRE(EVP_EncryptUpdate(context.get(), out.data(), &written, zero.data(), static_cast<int>(length)) == 1);
	REQUIRE(written == static_cast<int>(length));
	return out;
}

void check(const cprng_engine *engine, const EVP_CIPHER *cipher, const Position &p, const Bytes &iv, std::size_t skip,
	   std::size_t length)
{
	Bytes want = libcrypto(cipher, p.key, iv, skip + length);
	want.erase(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(skip));
	const std::string where = ", block " + std::to_string(p.block) + " + " + std::to_string(skip) + " bytes, " +
				  std::to_string(length) + " bytes";

	for (const cprng_backend *backend : usable_backends(engine)) {
		const Bytes got = keystream(engine, backend, p, skip, length);
		same(got.data(), want.data(), length, label(engine, backend) + where);
	}
	if (p.block < std::uint64_t{ 1 } << 57) {
		Stream s(engine, p.key, p.nonce);
		REQUIRE(cprng_stream_seek(s.get(), p.block * engine->block_size + skip) == 0);
		same(s.read(length).data(), want.data(), length, std::string(engine->name) + " stream" + where);
	}
}

} // namespace

// Catches an error that the published vectors miss.
TEST_CASE("OpenSSL: chacha20")
{
	run::Random random("openssl chacha20");
	const cprng_engine *engine = cprng_engine_find("chacha20");

	for (int i = 0; i < 300; i++) {
		const std::size_t length = random.below(i < 280 ? 5000 : 300000), skip = random.below(64);
		Position p = random_position(random, engine, (skip + length + 63) / 64);
		p.key = random.bytes(32);
		// libcrypto takes words 12 to 15 and counts only in word 12, so avoid a carry out of it.
		if (p.nonce.size() == 8 && static_cast<std::uint32_t>(p.block) > 0xffff0000)
			p.block -= 0x10000;
		Bytes iv;
		for (unsigned int j = 0; j < (p.nonce.size() == 8 ? 8u : 4u); j++)
			iv.push_back(static_cast<std::uint8_t>(p.block >> 8 * j));
		iv.insert(iv.end(), p.nonce.begin(), p.nonce.end());
		check(engine, EVP_chacha20(), p, iv, skip, length);
	}
}

// Catches an error that the published vectors miss.
TEST_CASE("OpenSSL: aes256-ctr, aes128-ctr")
{
	run::Random random("openssl aes");

	for (const char *name : { "aes256-ctr", "aes128-ctr" }) {
		const cprng_engine *engine = cprng_engine_find(name);
		const EVP_CIPHER *cipher = engine->key_sizes[0] == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr();
		for (int i = 0; i < 300; i++) {
			const std::size_t length = random.below(i < 280 ? 5000 : 300000), skip = random.below(64);
			Position p = random_position(random, engine, (skip + length + 15) / 16);
			p.block = random.coin() ? 0 : p.block % 300;
			// libcrypto starts at the counter block: add the block number to the nonce there.
			Bytes iv = p.nonce;
			for (std::uint64_t n = 0; n < p.block; n++) {
				std::size_t last = 16;
				do {
					last--;
					iv[last]++;
				} while (iv[last] == 0 && last > 0);
			}
			check(engine, cipher, p, iv, skip, length);
		}
	}
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
#ifndef CPRNG_LAB_PEERS_CONTENDERS_OPENSSL_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_OPENSSL_HPP

#include "source.hpp"

#ifdef LAB_OPENSSL
#include <algorithm>

#include <openssl/evp.h>
#include <openssl/rand.h>

namespace lab {

// Lengths are int.
constexpr std::size_t openssl_most = std::size_t{ 1 } << 30;

class openssl_rand : public source_of_bytes<openssl_rand> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		for (; len > openssl_most; out += openssl_most, len -= openssl_most)
			check(RAND_bytes(out, static_cast<int>(openssl_most)) == 1, "RAND_bytes");
		check(RAND_bytes(out, static_cast<int>(len)) == 1, "RAND_bytes");
	}
};

// A cipher under one permanent key: a generator's cost without locks and rekeying.  EVP only encrypts; the plaintext is
// zeros, so a request reads as well as writes.
template <const EVP_CIPHER *(*Cipher)()> class openssl_cipher : public source_of_bytes<openssl_cipher<Cipher>> {
public:
	openssl_cipher()
	{
		unsigned char key[32], iv[16];
		check(RAND_bytes(key, sizeof(key)) == 1 && RAND_bytes(iv, sizeof(iv)) == 1, "RAND_bytes");
		check(context_ != nullptr && EVP_EncryptInit_ex(context_.get(), Cipher(), nullptr, key, iv) == 1,
		      "EVP_EncryptInit_ex");
	}

	void fill(unsigned char *out, std::size_t len)
	{
		static const unsigned char zeros[65536] = {};
		while (len != 0) {
			int written;
			const std::size_t now = std::min(len, sizeof(zeros));
			check(EVP_EncryptUpdate(context_.get(), out, &written, zeros, static_cast<int>(now)) == 1,
			      "EVP_EncryptUpdate");
			out += now;
			len -= now;
		}
	}

private:
	struct release {
		void operator()(EVP_CIPHER_CTX *context) const
		{
			EVP_CIPHER_CTX_free(context);
		}
	};
	std::unique_ptr<EVP_CIPHER_CTX, release> context_{ EVP_CIPHER_CTX_new() };
};

using openssl_ctr = openssl_cipher<EVP_aes_256_ctr>;
using openssl_chacha20 = openssl_cipher<EVP_chacha20>;

// The same behind a pool, as programs add it, because an EVP call costs far more than four bytes.  Nothing is erased. A
// request of at least a pool bypasses it; a remainder that is too short is dropped.
template <typename Cipher> class openssl_pool : public source_of_bytes<openssl_pool<Cipher>> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		if (len >= sizeof(pool_))
			cipher_.fill(out, len);
		else
			std::memcpy(out, take(len), len);
	}

private:
	const unsigned char *take(std::size_t len)
	{
		if (__builtin_expect(used_ + len > sizeof(pool_), 0))
			refill();
		const unsigned char *from = pool_ + used_;
		used_ += len;
		return from;
	}

	[[gnu::noinline, gnu::cold]] void refill()
	{
		cipher_.fill(pool_, sizeof(pool_));
		used_ = 0;
	}

	Cipher cipher_;
	std::size_t used_ = sizeof(pool_);
	unsigned char pool_[4096];
};

using openssl_ctr_pool = openssl_pool<openssl_ctr>;
using openssl_chacha20_pool = openssl_pool<openssl_chacha20>;

} // namespace lab
#endif

#endif

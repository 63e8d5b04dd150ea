// SPDX-License-Identifier: BSD-2-Clause
#ifndef CPRNG_LAB_CONTENDERS_OPENSSL_HPP
#define CPRNG_LAB_CONTENDERS_OPENSSL_HPP

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

// A cipher alone, under one key permanently: what is left of a generator without its locks and rekeying.  EVP only
// encrypts; the text is zeros, so that a request is read as well as written.
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

// The same behind the pool that a program puts around it, since a call of EVP costs far more than four bytes do.  Nothing
// is erased.  A request of a pool and more goes to the cipher.
template <typename Cipher> class openssl_pool : public source_of_bytes<openssl_pool<Cipher>> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		if (len >= sizeof(pool_)) {
			cipher_.fill(out, len);
			return;
		}
		if (__builtin_expect(left_ < len, 0)) {
			std::memcpy(out, pool_ + sizeof(pool_) - left_, left_);
			out += left_;
			len -= left_;
			refill();
		}
		std::memcpy(out, pool_ + sizeof(pool_) - left_, len);
		left_ -= len;
	}

private:
	[[gnu::noinline, gnu::cold]] void refill()
	{
		cipher_.fill(pool_, sizeof(pool_));
		left_ = sizeof(pool_);
	}

	Cipher cipher_;
	std::size_t left_ = 0; // bytes at the end of the pool
	unsigned char pool_[4096];
};

using openssl_ctr_pool = openssl_pool<openssl_ctr>;
using openssl_chacha20_pool = openssl_pool<openssl_chacha20>;

} // namespace lab
#endif

#endif

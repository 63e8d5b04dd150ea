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

} // namespace lab
#endif

#endif

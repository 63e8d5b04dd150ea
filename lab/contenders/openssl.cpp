// SPDX-License-Identifier: BSD-2-Clause
#include "openssl.hpp"

void lab::add_openssl(contender_list &all)
{
	constexpr const char *rand = "openssl-rand", *rand_is = "RAND_bytes";
	constexpr const char *ctr = "openssl-ctr", *ctr_is = "EVP AES-256-CTR under one key";
	constexpr const char *chacha = "openssl-chacha20", *chacha_is = "EVP ChaCha20 under one key";
#ifdef LAB_OPENSSL
	add_contender<openssl_rand>(all, rand, rand_is, true);
	add_contender<openssl_ctr>(all, ctr, ctr_is, true);
	add_contender<openssl_chacha20>(all, chacha, chacha_is, true);
#else
	constexpr const char *why = "OpenSSL was not found when the lab was built";
	add_absent(all, rand, rand_is, true, why);
	add_absent(all, ctr, ctr_is, true, why);
	add_absent(all, chacha, chacha_is, true, why);
#endif
}

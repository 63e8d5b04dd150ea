// SPDX-License-Identifier: BSD-2-Clause
#include "openssl.hpp"

#ifdef LAB_OPENSSL
#include <openssl/crypto.h>
#endif

namespace lab {

namespace {

#ifdef LAB_OPENSSL
template <typename Source> void add_row(contender_list &all, const char *name, const char *description)
{
	add_contender<Source>(all, name, description, true, OpenSSL_version(OPENSSL_VERSION));
}
#else
struct openssl_rand;
struct openssl_ctr;
struct openssl_chacha20;
struct openssl_ctr_pool;
struct openssl_chacha20_pool;

template <typename Source> void add_row(contender_list &all, const char *name, const char *description)
{
	add_absent(all, name, description, true, "OpenSSL was not found when the lab was built");
}
#endif

} // namespace

void add_openssl(contender_list &all)
{
	add_row<openssl_rand>(all, "openssl-rand", "RAND_bytes");
	add_row<openssl_ctr>(all, "openssl-ctr", "EVP AES-256-CTR under one key, a call for each number");
	add_row<openssl_ctr_pool>(all, "openssl-ctr-pool", "the same by a pool of 4 KiB, not erased");
	add_row<openssl_chacha20>(all, "openssl-chacha20", "EVP ChaCha20 under one key, a call for each number");
	add_row<openssl_chacha20_pool>(all, "openssl-chacha20-pool", "the same by a pool of 4 KiB, not erased");
}

} // namespace lab

/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of NetBSD 10's header, for a kernel of 2016 that has none. */
#ifndef NIST_HASH_DRBG_H
#define NIST_HASH_DRBG_H

#include <sys/types.h>

#define NIST_HASH_DRBG_RESEED_INTERVAL 0x7fffffff

struct nist_hash_drbg {
	uint8_t V[55], C[55];
	unsigned int reseed_counter;
};

int nist_hash_drbg_initialize(void);
int nist_hash_drbg_instantiate(struct nist_hash_drbg *, const void *, size_t, const void *, size_t, const void *,
			       size_t);
int nist_hash_drbg_reseed(struct nist_hash_drbg *, const void *, size_t, const void *, size_t);
int nist_hash_drbg_generate(struct nist_hash_drbg *, void *, size_t, const void *, size_t);
int nist_hash_drbg_destroy(struct nist_hash_drbg *);

#endif

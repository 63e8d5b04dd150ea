/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of NetBSD 10 that the drop-ins need and a kernel of 2016 lacks, and its cprng_strong(9) on the hash DRBG.  This
 * file has the name of the file that it replaces.
 */
#include <sys/param.h>
#include <sys/rnd.h>
#include <crypto/nist_ctr_drbg/nist_ctr_drbg.h>
#include <crypto/nist_hash_drbg/nist_hash_drbg.h>

#include "kernel/netbsd/compat.h"

CTASSERT(sizeof(NIST_CTR_DRBG) >= sizeof(struct nist_hash_drbg) + 8);

/* The pool itself has the values 0 and 1; tests set others.  As in NetBSD 10, no epoch is 0: its users begin with that. */
unsigned entropy_epoch(void)
{
	return rnd_initial_entropy != 0 ? (unsigned)rnd_initial_entropy : (unsigned)-1;
}

percpu_t *percpu_create(size_t size, percpu_callback_t construct, percpu_callback_t destruct, void *cookie)
{
	percpu_t *const p = percpu_alloc(size);

	(void)destruct;
	percpu_foreach(p, construct, cookie);
	return p;
}

/* cprng_strong(9) of 2016 checks reseed_counter, the first member. */
static struct nist_hash_drbg *object(NIST_CTR_DRBG *drbg)
{
	return (struct nist_hash_drbg *)((uint8_t *)drbg + 8);
}

int nist_ctr_initialize(void)
{
	return nist_hash_drbg_initialize();
}

int nist_ctr_drbg_reseed(NIST_CTR_DRBG *drbg, const void *entropy, int len, const void *additional, int additional_len)
{
	drbg->reseed_counter = 1;
	return nist_hash_drbg_reseed(object(drbg), entropy, (size_t)len, additional, (size_t)additional_len);
}

int nist_ctr_drbg_instantiate(NIST_CTR_DRBG *drbg, const void *entropy, int len, const void *nonce, int nonce_len,
			      const void *name, int name_len)
{
	drbg->reseed_counter = 1;
	return nist_hash_drbg_instantiate(object(drbg), entropy, (size_t)len, nonce, (size_t)nonce_len, name,
					  (size_t)name_len);
}

int nist_ctr_drbg_generate(NIST_CTR_DRBG *drbg, void *out, int len, const void *additional, int additional_len)
{
	drbg->reseed_counter++;
	return nist_hash_drbg_generate(object(drbg), out, (size_t)len, additional, (size_t)additional_len);
}

int nist_ctr_drbg_destroy(NIST_CTR_DRBG *drbg)
{
	return nist_hash_drbg_destroy(object(drbg));
}

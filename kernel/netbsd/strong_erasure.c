/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator of cprng_strong(9) of NetBSD 8.2, 9 and 10, in place of
 * sys/crypto/nist_hash_drbg.  It has that file's interface and is no Hash_DRBG
 * of SP 800-90A.
 *
 * Each object has its own state, to which the caller has exclusive access:
 * NetBSD 10 has one for each CPU, and so takes no lock.  The state is a key of
 * 32 bytes.  Each request first replaces the key (fast key erasure, with
 * ChaCha20), and a reseed hashes the key with the output of NetBSD's entropy
 * pool (SHA-256).
 *
 * The object is NetBSD's structure: V holds the key, and reseed_counter counts,
 * as the callers expect.
 */
#include <sys/cdefs.h>
__KERNEL_RCSID(0, "$NetBSD$");

#include <sys/param.h>
#include <crypto/nist_hash_drbg/nist_hash_drbg.h>

#include "core/sha256.h"
#include "core/wipe.h"
#include "kernel/netbsd/glue.h"

_Static_assert(sizeof(((struct nist_hash_drbg *)0)->V) >= CPRNG_KEY_SIZE,
    "there is room for the key");

/* Domain separation: each use hashes another first word. */
enum use { USE_NAME, USE_SEED, USE_REQUEST };

/*
 * The lengths are hashed before the strings, so that no two pairs of strings
 * give the same message.
 */
static void
mix(struct nist_hash_drbg *drbg, enum use use, const void *a, size_t a_len,
    const void *b, size_t b_len)
{
	const uint64_t head[] = { use, a_len, b_len };
	struct cprng_sha256 h;

	cprng_sha256_init(&h);
	cprng_sha256_update(&h, head, sizeof(head));
	cprng_sha256_update(&h, drbg->V, CPRNG_KEY_SIZE);
	if (a_len != 0)
		cprng_sha256_update(&h, a, a_len);
	if (b_len != 0)
		cprng_sha256_update(&h, b, b_len);
	cprng_sha256_final(&h, drbg->V);
}

int
nist_hash_drbg_initialize(void)
{
	cprng_cipher_init();
	return 0;
}

int
nist_hash_drbg_reseed(struct nist_hash_drbg *drbg, const void *entropy,
    size_t len, const void *additional, size_t additional_len)
{
	mix(drbg, USE_SEED, entropy, len, additional, additional_len);
	drbg->reseed_counter = 1;
	return 0;
}

int
nist_hash_drbg_instantiate(struct nist_hash_drbg *drbg, const void *entropy,
    size_t len, const void *nonce, size_t nonce_len, const void *name,
    size_t name_len)
{
	memset(drbg, 0, sizeof(*drbg));
	mix(drbg, USE_NAME, name, name_len, NULL, 0);
	return nist_hash_drbg_reseed(drbg, entropy, len, nonce, nonce_len);
}

/* Failure makes the caller reseed. */
int
nist_hash_drbg_generate(struct nist_hash_drbg *drbg, void *out, size_t len,
    const void *additional, size_t additional_len)
{
	/* The next key, and one for this request. */
	uint8_t keys[2 * CPRNG_KEY_SIZE];

	if (drbg->reseed_counter > NIST_HASH_DRBG_RESEED_INTERVAL)
		return 1;
	drbg->reseed_counter++;
	if (additional_len != 0)
		mix(drbg, USE_REQUEST, additional, additional_len, NULL, 0);
	cprng_cipher_expand(drbg->V, keys, sizeof(keys));
	memcpy(drbg->V, keys, CPRNG_KEY_SIZE);
	if (len <= CPRNG_KEY_SIZE)
		memcpy(out, keys + CPRNG_KEY_SIZE, len);
	else
		cprng_cipher_expand(keys + CPRNG_KEY_SIZE, out, len);
	cprng_wipe(keys, sizeof(keys));
	return 0;
}

int
nist_hash_drbg_destroy(struct nist_hash_drbg *drbg)
{
	cprng_wipe(drbg, sizeof(*drbg));
	/* No object generates after this. */
	drbg->reseed_counter = UINT_MAX;
	return 0;
}

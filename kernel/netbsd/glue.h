/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces between the parts of the glue. */
#ifndef CPRNG_KERNEL_NETBSD_GLUE_H
#define CPRNG_KERNEL_NETBSD_GLUE_H

#include "core/port.h"
#include "engine/engine.h"

enum {
	CPRNG_KEY_SIZE = 32,
	/* The most bytes that a refill generates. */
	CPRNG_BATCH_MAX = 1024,
};

/* ------------------------------------------------------------------------------------------------ cipher.c */

/*
 * ChaCha20 up to IPL_HIGH, by vector instructions where this kernel may use them and the request is long enough, or else
 * portable.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/* Test the portable backend, which generates from now on; panics when it fails.  A second call does nothing. */
void cprng_cipher_init(void);

/* The same with those of this CPU's vector instructions, when the kernel has prepared its CPUs for them. */
void cprng_cipher_init_vectors(void);

/* How many bytes, of at most CPRNG_BATCH_MAX, are generated in about a thousand cycles where the caller runs. */
size_t cprng_cipher_batch(void);

/* Write len bytes from the key, which the caller wipes.  The key may be where the bytes go. */
void cprng_cipher_expand(const uint8_t key[CPRNG_KEY_SIZE], uint8_t *out, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces between the parts of the glue. */
#ifndef CPRNG_KERNEL_NETBSD_GLUE_H
#define CPRNG_KERNEL_NETBSD_GLUE_H

#include "core/port.h"
#include "engine/engine.h"

enum {
	CPRNG_KEY_SIZE = 32,
	/* The maximum size of a refill. */
	CPRNG_BATCH_MAX = 1024,
};

/* --------------------------------------------------------------- cipher.c */

/*
 * ChaCha20 up to IPL_HIGH: vector instructions if this kernel may use them here
 * and the request is long enough, else portable code.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/*
 * Test the portable backend, and use it from now on; panics if the test fails.
 * A second call does nothing.
 */
void cprng_cipher_init(void);

/*
 * The same for the backends with vector instructions, once the kernel has
 * prepared its CPUs for them.
 */
void cprng_cipher_init_vectors(void);

/*
 * The number of bytes, at most CPRNG_BATCH_MAX, that a refill for a draw of len
 * bytes makes: in about a thousand cycles in the caller's context, without those
 * of a section of vector registers.
 */
size_t cprng_cipher_batch(size_t len);

/* Write len bytes from the key; the caller wipes the key. */
void cprng_cipher_expand(
    const uint8_t key[CPRNG_KEY_SIZE], uint8_t *out, size_t len);

#endif

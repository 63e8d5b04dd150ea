/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces between the parts of the glue. */
#ifndef CPRNG_KERNEL_NETBSD_GLUE_H
#define CPRNG_KERNEL_NETBSD_GLUE_H

#include "core/port.h"
#include "engine/engine.h"

enum { CPRNG_KEY_SIZE = 32 };

/* ------------------------------------------------------------------------------------------------ cipher.c */

/*
 * ChaCha20 up to IPL_VM, by vector instructions where this kernel may use them and the request is long enough, or else
 * portable.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/* Test every backend that this CPU can run, and choose; panics when one fails.  A second call does nothing. */
void cprng_cipher_init(void);

/* Does it use vector instructions? */
bool cprng_cipher_has_vectors(void);

/* Write len bytes from the key, which the caller wipes.  The key may be where the bytes go. */
void cprng_cipher_expand(const uint8_t key[CPRNG_KEY_SIZE], uint8_t *out, size_t len);

#endif

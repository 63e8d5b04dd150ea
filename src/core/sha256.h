/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 (FIPS 180-4), and the double form from "Cryptography Engineering" (Ferguson, Schneier and Kohno, 5.4.2):
 * Hd(m) = H(H(0^512 || m)), which has no length extension.  Constant time in the message.
 */
#ifndef CPRNG_CORE_SHA256_H
#define CPRNG_CORE_SHA256_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum { CPRNG_SHA256_SIZE = 32, CPRNG_SHA256_BLOCK = 64 };

/* An unfinished hash.  It holds the last part of the message; the function that finishes it wipes it. */
struct cprng_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes taken in */
	uint8_t block[CPRNG_SHA256_BLOCK];
};

void cprng_sha256_init(struct cprng_sha256 *h);
void cprng_sha256_update(struct cprng_sha256 *h, const void *data, size_t len);
void cprng_sha256_final(struct cprng_sha256 *h, uint8_t digest[CPRNG_SHA256_SIZE]);

/* Begin and finish Hd; cprng_sha256_update() takes the message. */
void cprng_sha256d_init(struct cprng_sha256 *h);
void cprng_sha256d_final(struct cprng_sha256 *h, uint8_t digest[CPRNG_SHA256_SIZE]);

CPRNG_END_DECLARATIONS
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast generator: draws from a buffer, refills by fast key erasure, one-time keys for long requests. */
#ifndef CPRNG_PROCESS_DRAW_H
#define CPRNG_PROCESS_DRAW_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Bytes that a refill expands and pushes at a time.  They lie on the caller's stack, which may be an alternate signal stack of a
 * few KiB.  A whole number of batches of the widest backends (64 blocks of AES, 16 of ChaCha).
 */
#define CPRNG_REFILL_CHUNK 1024

/*
 * Bytes of the first chunk reserved for the next key: a cache line, of which it uses half.  Pushed bytes then begin at a line, so
 * that draws of a power of two of bytes load and store within lines.
 */
#define CPRNG_KEY_LINE 64

/* Chunks of a refill of the whole buffer. */
#define CPRNG_REFILL_CHUNKS (CPRNG_BUFFER_PAGE / CPRNG_REFILL_CHUNK)

/* The longest request, in bytes, that the buffer serves; longer ones are expanded from a one-time key. */
#define CPRNG_SHORT_MAX 512

/*
 * Reseeds.  A refill mixes into its buffer's key:
 *
 *   after REFILLS_PER_RESEED refills, bytes that are unique to this process, from the cheapest source: the vDSO's generator
 *   (os.h).  On a CPU without a counter (position_for) they bound what a snapshot of the process may repeat to
 *   REFILLS_PER_RESEED x 4 KiB for each CPU; in a virtual machine, once its kernel has detected the clone.  Generating the 32 bytes
 *   takes as long as 4 KiB of AES-256;
 *
 *   after SECONDS_PER_RESEED seconds, bytes by system call, which an attacker that has read all of the process's memory
 *   does not know (prediction resistance).  Also after RESEEDS_PER_CALL reseeds, because a clock may stand still: one call
 *   per 4 MiB takes no noticeable time.
 */
#define CPRNG_REFILLS_PER_RESEED 16
#define CPRNG_SECONDS_PER_RESEED 1
#define CPRNG_RESEEDS_PER_CALL 64
#define CPRNG_REFILLS_PER_CALL (CPRNG_RESEEDS_PER_CALL * CPRNG_REFILLS_PER_RESEED)

/* Fill dst with len bytes, of any number.  Aborts if the kernel gives no entropy. */
void cprng_draw_bytes(struct cprng_process *p, uint8_t *dst, size_t len);

/* Fill dst with len <= CPRNG_SHORT_MAX bytes for a draw whose buffer had too few, and refill the buffer. */
void cprng_draw_by_refill(struct cprng_process *p, uint8_t *dst, size_t len);

CPRNG_END_DECLARATIONS

#endif

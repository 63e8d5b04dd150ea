/* SPDX-License-Identifier: BSD-2-Clause */
/* The way from a request to its bytes: buffer, refill, one-time key. */
#ifndef CPRNG_PROCESS_DRAW_H
#define CPRNG_PROCESS_DRAW_H

#include "process/state.h"

/* Up to so many bytes come out of the buffer; longer requests are expanded from a one-time key. */
#define CPRNG_SHORT_MAX 512

/*
 * What goes into a buffer's key, beside the key before it:
 *
 *   every so many refills, bytes that no other process has, where they come cheapest: from the vDSO.  That bounds what a
 *   snapshot of the process (a cloned virtual machine whose kernel has noticed) may repeat: REFILLS x 4 KiB a CPU.  32 of
 *   these bytes take as long as 4 KiB of AES-256;
 *
 *   at the first refill after so many seconds, bytes by system call, which an attacker that has read all of the process's
 *   memory does not know (backtracking resistance's other half: recovery).  The same after so many reseeds: a clock may
 *   stand still, and one call in 4 MiB does not show.
 */
#define CPRNG_REFILLS_PER_RESEED 16
#define CPRNG_SECONDS_PER_RESEED 1
#define CPRNG_RESEEDS_PER_CALL 64
#define CPRNG_REFILLS_PER_CALL (CPRNG_RESEEDS_PER_CALL * CPRNG_REFILLS_PER_RESEED)

/* Fill dst with len bytes, any number of them. */
void cprng_draw_bytes(struct cprng_process *p, uint8_t *dst, size_t len);

/* The way of a draw of len <= CPRNG_SHORT_MAX bytes that found its buffer short: expands a key and refills. */
void cprng_draw_by_refill(struct cprng_process *p, uint8_t *dst, size_t len);

#endif

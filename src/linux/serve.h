/* SPDX-License-Identifier: BSD-2-Clause */
/* The way from a request to its bytes: buffer, refill, one-time key. */
#ifndef CPRNG_LINUX_SERVE_H
#define CPRNG_LINUX_SERVE_H

#include "core/port.h"

/* Up to so many bytes come out of the buffer; longer requests are expanded from a one-time key. */
#define CPRNG_SHORT_MAX 512

/*
 * Fresh bytes of the kernel are mixed into a buffer's key at least every so many refills, and at the first refill after
 * so many seconds.  The first bounds what a snapshot of the process (a cloned virtual machine) may repeat: at most
 * REFILLS x 4 KiB a CPU.  It is chosen for cost: 32 bytes from the vDSO take as long as 4 KiB of AES-256.
 */
#define CPRNG_REFILLS_PER_RESEED 16
#define CPRNG_SECONDS_PER_RESEED 1

/* Fill dst with len bytes, any number of them. */
void cprng_serve(uint8_t *dst, size_t len);

/* The way of a draw of len <= CPRNG_SHORT_MAX bytes that found its buffer short: expands a key and refills. */
void cprng_serve_by_refill(uint8_t *dst, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random numbers for other modules, from cprng.ko.
 *
 * All functions may be called in process, softirq and hard interrupt context, with preemption or
 * interrupts off, and with any lock held.  None fails.  Only cprng_strong() waits for other CPUs,
 * as described there.
 */
#ifndef CPRNG_KERNEL_LINUX_CPRNG_H
#define CPRNG_KERNEL_LINUX_CPRNG_H

#include <linux/types.h>

/*
 * Random bytes for any purpose, including keys, from this CPU's state.  Up to 64 bytes are drawn
 * with interrupts off, with at most one refill of two ChaCha20 blocks; longer requests expand a
 * one-time key with the interrupt state unchanged. Nested draws (NMIs, a machine check in an NMI,
 * probes) have separate states, eight per CPU; a ninth level panics.
 */
void cprng_fast(void *buf, size_t len);
u32 cprng_fast32(void);
u64 cprng_fast64(void);

/* Uniform in [0, bound); a bound of 0 or 1 gives 0. */
u32 cprng_uniform32(u32 bound);

/*
 * Bytes for long-lived keys, from Fortuna.  Takes a spin lock with interrupts off, for two blocks
 * at a time.  A CPU waits that long, with interrupts off, for each other CPU in this function and
 * for one reader of the device, however many there are (without locked_reads: for one block of each
 * reader).  Five times a second it waits for a reseed, which hashes 64 bytes or more.  In NMIs and
 * in other code that interrupts the lock's holder (a tracer's callback, a probe), this is
 * cprng_fast().
 */
void cprng_strong(void *buf, size_t len);

/*
 * Mix len bytes into Fortuna's pools without credit.  Drops them if the queue is full.  Also
 * allowed in NMIs.
 */
void cprng_add_entropy(const void *buf, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random numbers for other modules, from cprng.ko.
 *
 * All functions may be called from process, softirq and hard interrupt context, with preemption or interrupts off, and
 * while any lock is held.  None waits for another CPU, except cprng_strong() as described there.  None fails.
 */
#ifndef CPRNG_KERNEL_LINUX_CPRNG_H
#define CPRNG_KERNEL_LINUX_CPRNG_H

#include <linux/types.h>

/*
 * Random bytes for any purpose, keys included, from the state of this CPU.  Up to 64 bytes are taken with interrupts
 * off, after at most one refill of two blocks of ChaCha20; longer requests expand a one-time key with interrupts as they
 * were.  Nested draws (NMIs, a machine check in an NMI, probes) have separate states, eight for each CPU; a ninth panics.
 */
void cprng_fast(void *buf, size_t len);
u32 cprng_fast32(void);
u64 cprng_fast64(void);

/* Uniform in [0, bound); a bound of 0 or 1 gives 0. */
u32 cprng_uniform32(u32 bound);

/*
 * Bytes for long-lived keys, from Fortuna.  Takes a spin lock with interrupts off, for two blocks at a time.  A CPU waits
 * that long, with interrupts off, for each other CPU in this function and for one reader of the device, however many there
 * are (without locked_reads: for one block of each reader); and five times a second for a reseed, a hash of 64 bytes or
 * more.  In an NMI, and in what else interrupts the lock's holder (a tracer's callback, a probe), it does the same as
 * cprng_fast().
 */
void cprng_strong(void *buf, size_t len);

/* Mix len bytes into Fortuna's pools, credited with no entropy.  Drops them when the queue is full.  Also in NMIs. */
void cprng_add_entropy(const void *buf, size_t len);

#endif

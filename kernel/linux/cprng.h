/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random numbers for other modules, from cprng.ko.
 *
 * All of this may be called from process, softirq and hard interrupt context, with preemption or interrupts off, and
 * while any lock is held: nothing waits for another CPU, but for cprng_strong() as told there.  Nothing fails.
 */
#ifndef CPRNG_KERNEL_LINUX_CPRNG_H
#define CPRNG_KERNEL_LINUX_CPRNG_H

#include <linux/types.h>

/*
 * Random bytes for any purpose, keys included, from the state of this CPU.  Up to 64 bytes are taken with interrupts
 * off, after at most one refill of two blocks of ChaCha20; more are made with interrupts as they were, from a key of
 * their own.  An NMI has a state for itself, and so has one that interrupts another (a machine check, say), four deep; a
 * fifth panics.
 */
void cprng_fast(void *buf, size_t len);
u32 cprng_fast32(void);
u64 cprng_fast64(void);

/* Uniform in [0, bound); a bound of 0 or 1 gives 0. */
u32 cprng_uniform32(u32 bound);

/*
 * Bytes for keys that live long, from Fortuna.  Takes a spin lock with interrupts off, for two blocks at a time; a CPU
 * waits, with interrupts off, so long for each other CPU that is in this function, for one reader of the device however
 * many there are (without locked_reads: for one block of each), and five times a second for a reseed (a hash of 64 bytes
 * and more).  In an NMI the same as cprng_fast().
 */
void cprng_strong(void *buf, size_t len);

/* Mix len bytes into Fortuna's pools, credited with nothing; what its queue has no room for is dropped.  NMIs, too. */
void cprng_add_entropy(const void *buf, size_t len);

#endif

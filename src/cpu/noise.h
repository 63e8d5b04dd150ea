/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a CPU has of unpredictable things: instructions for random numbers, and what is needed to look at its timing.
 * Each architecture has its own, in noise_<architecture>.c.  Any thread, any signal handler.
 */
#ifndef CPRNG_CPU_NOISE_H
#define CPRNG_CPU_NOISE_H

#include "core/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A word of the CPU's entropy source (RDSEED, RNDRRS), or of its generator (RDRAND, RNDR).  False, and *word untouched,
 * when the CPU has none or gave none after a bounded number of tries.
 *
 * That the CPU says it is good does not make it so: several AMD families gave nothing but ones, with success, after
 * suspend or with an old firmware.  0 and ~0 are not refused here, since each is as likely as any other word: the health
 * tests of the caller see a word that stays the same.
 */
bool cprng_cpu_seed(uint64_t *word) CPRNG_MUST_CHECK;
bool cprng_cpu_random(uint64_t *word) CPRNG_MUST_CHECK;

/*
 * The time stamp counter, read after everything before it has been done; 0 where user code has none that can be read
 * without a trap.
 */
uint64_t cprng_cpu_cycles(void);

/*
 * Have the cache line at p go to memory, so that the next access waits for that; false where user code cannot.  The
 * content stays as it is.
 */
bool cprng_cpu_flush(const void *p);

#ifdef __cplusplus
}
#endif
#endif

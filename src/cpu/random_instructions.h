/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions for random numbers and for measuring the CPU's timing jitter.  Each architecture has an implementation,
 * random_instructions_<architecture>.c.  May be called by any thread and any signal handler.
 */
#ifndef CPRNG_CPU_RANDOM_INSTRUCTIONS_H
#define CPRNG_CPU_RANDOM_INSTRUCTIONS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Store a word of the CPU's entropy source (RDSEED, RNDRRS), or of its generator (RDRAND, RNDR), in *word.  Returns false, with
 * *word unchanged, if the CPU has no such instruction, or it failed in a bounded number of tries.
 *
 * Success does not mean a random word: several AMD families returned only ones, with success, after a suspend or with
 * old firmware.  0 and ~0 are not refused here, since each is as likely as any other word: the health tests of the
 * caller detect a word that stays the same.
 */
bool cprng_cpu_rdseed(uint64_t *word) CPRNG_MUST_CHECK;
bool cprng_cpu_rdrand(uint64_t *word) CPRNG_MUST_CHECK;

/*
 * Return the time stamp counter, read after all earlier instructions have completed; 0 if user code cannot read one without a
 * trap.
 */
uint64_t cprng_cpu_cycles(void);

/*
 * For keystream positions (struct cprng_position) that copies of a machine or process should not share.  Cheaper than the
 * functions above, and without any promise of entropy.
 *
 * cprng_cpu_count() returns the counter, read at some moment near the call, and stores in *period the number of the interval of
 * some microseconds that contains this moment; both are 0 if there is no counter.  cprng_cpu_random_word() returns the result of
 * the first try of RDRAND or RNDR, even if it failed; the caller has checked cprng_cpu_has_random_word() once.
 */
uint64_t cprng_cpu_count(uint32_t *period);
uint64_t cprng_cpu_random_word(void);
bool cprng_cpu_has_random_word(void);

/*
 * Flush the cache line at p to memory, so that the next access waits for memory; false if user code cannot.  The content does not
 * change.
 */
bool cprng_cpu_flush(const void *p);

CPRNG_END_DECLARATIONS
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's noise source (src/process/jitter.c), with and without cache flushes. */
#ifndef CPRNG_LAB_JITTER_NOISE_H
#define CPRNG_LAB_JITTER_NOISE_H

#include "cpu/random_instructions.h"
#include "process/jitter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The source of an architecture without flush instructions: clock_gettime(2) times accesses that hit the cache. */
bool lab_jitter_collect_without_flushes(struct cprng_jitter *j, uint8_t *samples, size_t count) CPRNG_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif

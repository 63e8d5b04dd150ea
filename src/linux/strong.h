/* SPDX-License-Identifier: BSD-2-Clause */
/* The process's Fortuna: cprng_strong(), and the periodic reseed of the fast generator. */
#ifndef CPRNG_LINUX_STRONG_H
#define CPRNG_LINUX_STRONG_H

#include "linux/process.h"
#include "linux/sources.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill buf, or abort: never unseeded, never from before a fork or an invalidation. */
void cprng_strong_read(uint8_t *buf, size_t len);

/*
 * 32 bytes for the key of a buffer, from a reader that does not wait: false, and nothing written, when somebody holds a
 * lock or there is no Fortuna.
 */
bool cprng_strong_try_key(struct cprng_process *p, uint8_t key[32]) CPRNG_MUST_CHECK;

/* Mix len bytes into the key at once. */
void cprng_strong_seed(const void *buf, size_t len);

/* Leave an event of the application in the queue: CPRNG_FORTUNA_OK or CPRNG_FORTUNA_FULL. */
int cprng_strong_add(const struct cprng_event *event);

void cprng_strong_concurrent(bool on);

/* What cprng_get_strong_info() tells, after a read. */
void cprng_strong_describe(struct cprng_strong_info *info);

#ifdef __cplusplus
}
#endif
#endif

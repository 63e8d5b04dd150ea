/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for secrets. */
#ifndef CPRNG_LINUX_PAGES_H
#define CPRNG_LINUX_PAGES_H

#include "core/port.h"

/* Anonymous memory, zero, left out of nothing; NULL when there is none. */
void *cprng_pages_map(size_t len);

/*
 * Have the range wiped in a forked child and left out of core dumps.  False when the kernel does not wipe: then nothing
 * that must not be copied may be kept there.
 */
bool cprng_pages_make_secret(void *p, size_t len);

/*
 * Keep the range out of swap, each page from its first use on; false when the limit (RLIMIT_MEMLOCK, which counts the
 * whole range) or a sandbox does not allow it.
 */
bool cprng_pages_lock(void *p, size_t len);

void cprng_pages_unmap(void *p, size_t len);

#endif

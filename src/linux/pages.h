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

/* Use memory by the kernel's smallest page: a huge one would hold the buffers of up to 512 CPUs, of which two may draw. */
void cprng_pages_keep_small(void *p, size_t len);

/*
 * Keep the kernel's pages that the range lies in out of swap; false when the limit or a sandbox does not allow it.  They
 * count against RLIMIT_MEMLOCK, which belongs to the application: lock what is used, and no more.
 */
bool cprng_pages_lock(void *p, size_t len);

void cprng_pages_unmap(void *p, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_CORE_WAIT_H
#define CPRNG_CORE_WAIT_H

/* What a function does when a lock that it needs is held: wait for it, or return at once with nothing done. */
enum cprng_wait { CPRNG_WAIT, CPRNG_NOWAIT };

#endif

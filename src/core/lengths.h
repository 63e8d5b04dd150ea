/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths at which the freestanding part changes the way in which it fills a request.  They have a separate header, so
 * that a build for tests finds smaller ones first (tests/promises/1-full-strength/lengths/lowered) and tries all lengths
 * around them.
 */
#ifndef CPRNG_CORE_LENGTHS_H
#define CPRNG_CORE_LENGTHS_H

#include "core/port.h"

/*
 * The least length that streaming stores write past the caches.  Output of this length evicts everything else from a core's
 * share of the last-level cache, and its own beginning before it is read.  Below this length a caller that reads the output
 * once gains 10 % by finding it in a cache (lab/results/, sweep_streaming).
 */
#define CPRNG_STREAMING_MIN ((size_t)8 << 20)

/*
 * A piece of a read of Fortuna with AES, in blocks: "Cryptography Engineering", 9.4, wants another key after 2^16 of
 * them, because a counter never repeats a block and random data would.
 */
enum { CPRNG_REKEY_BLOCKS_AES = 1 << 16 };

/*
 * A piece of a locked read of Fortuna: other readers wait for it, and may take the lock before the next piece.  FreeBSD's locked
 * reads also release the lock after a page.  A piece takes 0.3 microseconds with the fastest vectors, and 10 in portable code.
 */
#define CPRNG_LOCKED_PIECE_MAX ((size_t)4096)

#endif

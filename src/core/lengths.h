/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths from which on the freestanding part fills a request in another way.  They are in a header of their own so
 * that a build for tests finds smaller ones first (tests/lengths/lowered) and goes through all lengths around them.
 */
#ifndef CPRNG_CORE_LENGTHS_H
#define CPRNG_CORE_LENGTHS_H

#include "core/port.h"

/*
 * From here on output would push everything else out of a core's share of the last cache, itself included, before it is
 * read.  Up to there a caller that reads it once gains 10 % by finding it in a cache (lab/results/, sweep_streaming).
 */
#define CPRNG_STREAMING_MIN ((size_t)8 << 20)

/*
 * A piece of a read of Fortuna with AES, in blocks: "Cryptography Engineering", 9.4, wants another key after 2^16 of
 * them, because a counter never repeats a block and random data would.
 */
enum { CPRNG_REKEY_BLOCKS_AES = 1 << 16 };

#endif

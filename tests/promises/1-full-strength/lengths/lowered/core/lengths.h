/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces src/core/lengths.h in a build of the library with low limits (tests/CMakeLists.txt).  The pieces exceed the
 * widest batch of AES, 36 blocks, so that a piece has whole batches and a remainder.
 */
#ifndef CPRNG_CORE_LENGTHS_H
#define CPRNG_CORE_LENGTHS_H

#include "core/port.h"

#define CPRNG_STREAMING_MIN ((size_t)1024)

enum { CPRNG_REKEY_BLOCKS_AES = 48 };

#define CPRNG_LOCKED_PIECE_MAX ((size_t)704)

#endif

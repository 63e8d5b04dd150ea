/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For a build of the library whose limits are low (tests/CMakeLists.txt): found before src/core/lengths.h.  Both are
 * above the widest batch of AES, 36 blocks, so that a piece has whole batches and a rest.
 */
#ifndef CPRNG_CORE_LENGTHS_H
#define CPRNG_CORE_LENGTHS_H

#include "core/port.h"

#define CPRNG_STREAMING_MIN ((size_t)1024)

enum { CPRNG_REKEY_BLOCKS_AES = 48 };

#endif

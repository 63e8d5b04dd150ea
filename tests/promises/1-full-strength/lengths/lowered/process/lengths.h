/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For a build of the library whose limits are low (tests/CMakeLists.txt): found before src/process/lengths.h.  Above the
 * longest request that comes out of the buffer, 512 bytes, and whole blocks of every engine, as the real ones are.  None
 * of these and of core/lengths.h is a multiple of another, so that a request meets them at different places.
 */
#ifndef CPRNG_PROCESS_LENGTHS_H
#define CPRNG_PROCESS_LENGTHS_H

enum {
	ONE_KEY_MAX = 1600,
	UNBUFFERED_MAX = 640,
};

#define READ_MAX ((size_t)1152)

#endif

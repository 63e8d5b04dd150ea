/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces src/process/lengths.h in a build of the library with low limits (tests/CMakeLists.txt).  As with the real limits, each
 * exceeds the longest request served from the buffer, 512 bytes, and is a multiple of every engine's block.  No limit here or in
 * core/lengths.h is a multiple of another, so that a request reaches each of them at a different offset.
 */
#ifndef CPRNG_PROCESS_LENGTHS_H
#define CPRNG_PROCESS_LENGTHS_H

enum {
	ONE_KEY_MAX = 1600,
	UNBUFFERED_MAX = 640,
};

#define READ_MAX ((size_t)1152)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most bytes of a request that are made at a time.  They are in a header of their own so that a build for tests
 * finds smaller ones first (tests/lengths/lowered) and goes through all lengths around them.
 */
#ifndef CPRNG_PROCESS_LENGTHS_H
#define CPRNG_PROCESS_LENGTHS_H

enum {
	/*
	 * A key for each so many bytes of a request.  2^22 blocks of AES in counter mode differ from random ones, which
	 * would repeat, with an advantage of 2^43 / 2^128; and a fork or an invalidation has no more than this made again.
	 */
	ONE_KEY_MAX = 1 << 26,
	/* Without buffers: signals are blocked no longer than this takes, 30 to 500 microseconds. */
	UNBUFFERED_MAX = 1 << 20,
};

/*
 * A long read is made of so much at a time: signals are blocked no longer than that takes (30 to 500 microseconds; the
 * kernel's bytes take 3 milliseconds), and an invalidation has no more than this made again.  It is a piece of AES, too.
 */
#define READ_MAX ((size_t)1 << 20)

#endif

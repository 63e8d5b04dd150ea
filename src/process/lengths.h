/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most bytes of a request that are generated at a time.  This is a separate header so that a build for tests finds one
 * with smaller limits first (tests/promises/1-full-strength/lengths/lowered), and goes through all lengths around them.
 */
#ifndef CPRNG_PROCESS_LENGTHS_H
#define CPRNG_PROCESS_LENGTHS_H

enum {
	/*
	 * Bytes of a request for each one-time key.  An attacker distinguishes 2^22 blocks of AES in counter mode from random
	 * blocks, of which some would repeat, with an advantage of 2^43 / 2^128.  After a fork or an invalidation no more than
	 * this is generated again.
	 */
	ONE_KEY_MAX = 1 << 26,
	/* Without buffers: signals are blocked no longer than this takes, 30 to 500 microseconds. */
	UNBUFFERED_MAX = 1 << 20,
};

/*
 * A piece of a long read of Fortuna: signals are blocked while it is generated (30 to 500 microseconds; 3 milliseconds for
 * the kernel's bytes), and after an invalidation no more than this is generated again.  It equals the
 * piece that AES encrypts under one key (CPRNG_REKEY_BLOCKS_AES in core/lengths.h).
 */
#define READ_MAX ((size_t)1 << 20)

#endif

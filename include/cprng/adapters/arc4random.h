/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arc4random(3) of the BSDs, of libbsd and of glibc 2.36 and later, by the library: include this header before the
 * headers that declare the functions, after them, or in their place.  A program that cannot be compiled again:
 * docs/dropins.md.
 *
 *     #include <cprng/adapters/arc4random.h>
 *
 *     uint32_t die = 1 + arc4random_uniform(6);
 */
#ifndef CPRNG_ADAPTERS_ARC4RANDOM_H
#define CPRNG_ADAPTERS_ARC4RANDOM_H

#include <stdlib.h>

#include <cprng/cprng.h>

/* The names of functions, so that their addresses can be taken, too. */
#define arc4random cprng_fast32
#define arc4random_buf cprng_fast
#define arc4random_uniform cprng_uniform32

/* As in libbsd, which may declare the next two. */
#ifdef __cplusplus
extern "C" {
#endif

/* For old programs: the generator always has a seed, and the caller's data is mixed in. */
#define arc4random_stir cprng_adapters_stir
#define arc4random_addrandom cprng_adapters_addrandom

static inline void cprng_adapters_stir(void)
{
}

static inline void cprng_adapters_addrandom(unsigned char *data, int len)
{
	for (int n; len > 0; data += n, len -= n) {
		n = len < 32 ? len : 32;
		/* A full queue drops the event: it counts for no entropy in any case. */
		(void)cprng_add_entropy(0, data, (size_t)n, 0);
	}
}

#ifdef __cplusplus
}
#endif

#endif

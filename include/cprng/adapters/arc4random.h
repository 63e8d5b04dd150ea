/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of arc4random(3) in the BSDs, libbsd, and glibc 2.36 and later, served by the library.  Include this header
 * before or after the headers that declare the functions, or instead of them.  For programs that you cannot recompile see
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

/* Object-like macros, so that the functions' addresses can be taken, too. */
#define arc4random cprng_fast32
#define arc4random_buf cprng_fast
#define arc4random_uniform cprng_uniform32

/* As in libbsd, which may declare the next two. */
#ifdef __cplusplus
extern "C" {
#endif

/* For old programs: the generator is always seeded; the caller's data is mixed in. */
#define arc4random_stir cprng_adapters_stir
#define arc4random_addrandom cprng_adapters_addrandom

static inline void cprng_adapters_stir(void)
{
}

static inline void cprng_adapters_addrandom(unsigned char *data, int len)
{
	for (int n; len > 0; data += n, len -= n) {
		n = len < 32 ? len : 32;
		/* A full queue drops the event, which is credited no entropy anyway. */
		(void)cprng_add_entropy(0, data, (size_t)n, 0);
	}
}

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library as libsodium's generator, for randombytes_buf(), keys and nonces.
 *
 *     if (cprng_sodium_use() != 0 || sodium_init() < 0)
 *             return 1;
 */
#ifndef CPRNG_ADAPTERS_SODIUM_H
#define CPRNG_ADAPTERS_SODIUM_H

#include <sodium.h>

#include <cprng/cprng.h>

static inline const char *cprng_sodium_name(void)
{
	return "cprng";
}

static inline uint32_t cprng_sodium_random(void)
{
	return cprng_fast32();
}

static inline uint32_t cprng_sodium_uniform(const uint32_t bound)
{
	return cprng_uniform32(bound);
}

static inline void cprng_sodium_buf(void *const buf, const size_t len)
{
	cprng_fast(buf, len);
}

/*
 * Make libsodium take its random bytes from this library.  Call it before sodium_init() and before another thread uses
 * libsodium.  Returns 0.
 */
static inline int cprng_sodium_use(void)
{
	/* libsodium keeps the address and does not write to it.  stir and close are not needed. */
	static struct randombytes_implementation implementation = {
		cprng_sodium_name, cprng_sodium_random, NULL, cprng_sodium_uniform, cprng_sodium_buf, NULL,
	};

	return randombytes_set_implementation(&implementation);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library for Mbed TLS: as the f_rng argument of its functions, as f_entropy of its own generators, or as an additional
 * source of an mbedtls_entropy_context.  These types need no header of Mbed TLS.
 *
 *     mbedtls_ssl_conf_rng(&conf, cprng_mbedtls_random, NULL);
 *     mbedtls_ctr_drbg_seed(&drbg, cprng_mbedtls_entropy, NULL, NULL, 0);
 *     mbedtls_entropy_add_source(&entropy, cprng_mbedtls_source, NULL, 32, MBEDTLS_ENTROPY_SOURCE_STRONG);
 */
#ifndef CPRNG_ADAPTERS_MBEDTLS_H
#define CPRNG_ADAPTERS_MBEDTLS_H

#include <cprng/cprng.h>

/* f_rng: fill output with len bytes.  The context is unused.  Returns 0. */
static inline int cprng_mbedtls_random(void *context, unsigned char *output, size_t len)
{
	(void)context;
	cprng_fast(output, len);
	return 0;
}

/* f_entropy: the same with bytes from Fortuna, for seeds.  Returns 0. */
static inline int cprng_mbedtls_entropy(void *context, unsigned char *output, size_t len)
{
	(void)context;
	cprng_strong(output, len);
	return 0;
}

/* mbedtls_entropy_f_source_ptr: a source that always gives all len bytes.  Returns 0. */
static inline int cprng_mbedtls_source(void *context, unsigned char *output, size_t len, size_t *output_len)
{
	(void)context;
	cprng_strong(output, len);
	*output_len = len;
	return 0;
}

#endif

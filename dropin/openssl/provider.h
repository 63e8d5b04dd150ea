/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_OPENSSL_PROVIDER_H
#define CPRNG_OPENSSL_PROVIDER_H

#include <stdint.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

/* The core's functions, for one library context. */
struct provider {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_new_error_fn *new_error;
	OSSL_FUNC_core_vset_error_fn *vset_error;
	OSSL_FUNC_CRYPTO_secure_malloc_fn *secure_malloc;
	OSSL_FUNC_CRYPTO_secure_clear_free_fn *secure_clear_free;
};

enum reason {
	REASON_STRENGTH = 1,
	REASON_NOT_INSTANTIATED,
	REASON_ENTROPY,
	REASON_MEMORY,
};

/* Add an error to the calling thread's queue; returns 0. */
int cprng_provider_error(const struct provider *p, enum reason reason);

/* The generator and the seed source. */
extern const OSSL_DISPATCH cprng_rand_functions[], cprng_seed_source_functions[];

/* ----------------------------------------------------------------------------------------------- parameters */

/* Store a number or text as the type that the parameter's caller wants; returns 0 if it does not fit. */
int cprng_parameter_set_number(OSSL_PARAM *p, uint64_t value);
int cprng_parameter_set_text(OSSL_PARAM *p, const char *text);

#endif

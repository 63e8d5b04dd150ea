/* SPDX-License-Identifier: BSD-2-Clause */
/* The provider "cprng": the functions that OpenSSL's core calls, see provider-base(7). */
#include "provider.h"

#include <cprng/cprng.h>

#include <openssl/core_names.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int cprng_provider_error(const struct provider *p, enum reason reason)
{
	/* Avoids variadic arguments: vset_error takes a va_list. */
	if (p->new_error != NULL && p->vset_error != NULL) {
		va_list none;

		memset(&none, 0, sizeof(none));
		p->new_error(p->handle);
		p->vset_error(p->handle, (uint32_t)reason, NULL, none);
	}
	return 0;
}

static const OSSL_ITEM *get_reason_strings(void *provctx)
{
	static const OSSL_ITEM strings[] = {
		{ REASON_STRENGTH, (void *)"the strength is 256 bits" },
		{ REASON_NOT_INSTANTIATED, (void *)"not instantiated" },
		{ REASON_ENTROPY, (void *)"no random numbers from the kernel" },
		{ REASON_MEMORY, (void *)"no memory" },
		{ 0, NULL },
	};

	(void)provctx;
	return strings;
}

static const OSSL_PARAM *gettable_params(void *provctx)
{
	static const OSSL_PARAM list[] = {
		{ OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0, 0 },
		{ OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0, 0 },
		{ OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, NULL, 0, 0 },
		{ OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, 0, 0 },
		{ NULL, 0, NULL, 0, 0 },
	};

	(void)provctx;
	return list;
}

static int get_params(void *provctx, OSSL_PARAM params[])
{
	int done = 1;

	(void)provctx;
	for (OSSL_PARAM *p = params; p->key != NULL; p++) {
		if (strcmp(p->key, OSSL_PROV_PARAM_NAME) == 0)
			done &= cprng_parameter_set_text(p, "cprng");
		else if (strcmp(p->key, OSSL_PROV_PARAM_VERSION) == 0 || strcmp(p->key, OSSL_PROV_PARAM_BUILDINFO) == 0)
			done &= cprng_parameter_set_text(p, cprng_version());
		else if (strcmp(p->key, OSSL_PROV_PARAM_STATUS) == 0)
			done &= cprng_parameter_set_number(p, 1);
	}
	return done;
}

static const OSSL_ALGORITHM *query_operation(void *provctx, int operation, int *no_cache)
{
	static const OSSL_ALGORITHM rands[] = {
		{ "CPRNG", "provider=cprng", cprng_rand_functions, "fast key erasure, AES-256 or ChaCha20" },
		{ "CPRNG-SEED-SRC", "provider=cprng", cprng_seed_source_functions, "Fortuna" },
		{ NULL, NULL, NULL, NULL },
	};

	(void)provctx;
	*no_cache = 0;
	return operation == OSSL_OP_RAND ? rands : NULL;
}

/* Test all backends; the one in use already passed its known answers before its first use. */
static int self_test(void *provctx)
{
	(void)provctx;
	return cprng_selftest(NULL, NULL) == 0;
}

static void teardown(void *provctx)
{
	free(provctx);
}

/* Write to standard error, because the error queue needs the core's functions; returns 0. */
static int refuse(struct provider *p, const char *line)
{
	(void)!write(STDERR_FILENO, line, strlen(line));
	free(p);
	return 0;
}

/*
 * Set up the library now, because the program may enter a sandbox later, but not before the kernel is seeded early in
 * the boot. Return false if the kernel refuses random numbers.
 */
static bool set_up(void)
{
	const int saved = errno;
	unsigned char byte;
	const long n = syscall(SYS_getrandom, &byte, sizeof(byte), GRND_NONBLOCK);
	const bool seeds_later = n < 0 && errno == EAGAIN;

	errno = saved;
	if (n == 1)
		cprng_fast(&byte, sizeof(byte));
	return n == 1 || seeds_later;
}

OSSL_provider_init_fn OSSL_provider_init;

__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
							      const OSSL_DISPATCH **out, void **provctx)
{
	static const OSSL_DISPATCH functions[] = {
		{ OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
		{ OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params },
		{ OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
		{ OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_operation },
		{ OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))get_reason_strings },
		{ OSSL_FUNC_PROVIDER_SELF_TEST, (void (*)(void))self_test },
		{ 0, NULL },
	};
	struct provider *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return 0;
	p->handle = handle;
	for (; in->function_id != 0; in++) {
		switch (in->function_id) {
		case OSSL_FUNC_CORE_NEW_ERROR:
			p->new_error = OSSL_FUNC_core_new_error(in);
			break;
		case OSSL_FUNC_CORE_VSET_ERROR:
			p->vset_error = OSSL_FUNC_core_vset_error(in);
			break;
		case OSSL_FUNC_CRYPTO_SECURE_MALLOC:
			p->secure_malloc = OSSL_FUNC_CRYPTO_secure_malloc(in);
			break;
		case OSSL_FUNC_CRYPTO_SECURE_CLEAR_FREE:
			p->secure_clear_free = OSSL_FUNC_CRYPTO_secure_clear_free(in);
			break;
		}
	}
	if (p->secure_malloc == NULL || p->secure_clear_free == NULL)
		return refuse(
			p, "cprng.so: the libcrypto that loads it gives no secure memory, as OpenSSL 3.0 and later do: "
			   "not loaded\n");
	if (!set_up())
		return refuse(p, "cprng.so: no random numbers from the kernel: not loaded\n");
	*out = functions;
	*provctx = p;
	return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A core other than OpenSSL's: it loads the module CPRNG_PROVIDER and requests seeds, as generators do. */
#include "subject.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_dispatch.h>

static void *allocate(size_t len, const char *file, int line)
{
	(void)file;
	(void)line;
	return malloc(len);
}

static void release(void *p, size_t len, const char *file, int line)
{
	(void)len;
	(void)file;
	(void)line;
	free(p);
}

static void (*find(const OSSL_DISPATCH *functions, int id))(void)
{
	for (; functions->function_id != 0; functions++) {
		if (functions->function_id == id)
			return functions->function;
	}
	exit(5);
}

/* Seeds of 48 and 100 bytes from each algorithm, in lines of 16 bytes; the last one may be shorter. */
static void print_seeds(const OSSL_ALGORITHM *algorithm, void *provctx)
{
	const OSSL_DISPATCH *f = algorithm->implementation;
	void *ctx = ((OSSL_FUNC_rand_newctx_fn *)find(f, OSSL_FUNC_RAND_NEWCTX))(provctx, NULL, NULL);
	OSSL_FUNC_rand_get_seed_fn *get_seed = (OSSL_FUNC_rand_get_seed_fn *)find(f, OSSL_FUNC_RAND_GET_SEED);
	OSSL_FUNC_rand_clear_seed_fn *clear_seed = (OSSL_FUNC_rand_clear_seed_fn *)find(f, OSSL_FUNC_RAND_CLEAR_SEED);
	unsigned char *seed[2];
	size_t len[2];

	len[0] = get_seed(ctx, &seed[0], 384, 32, 1000, 0, NULL, 0);
	len[1] = get_seed(ctx, &seed[1], 256, 100, 100, 1, NULL, 0);
	printf("longer than allowed: %zu\n", get_seed(ctx, &seed[0], 384, 16, 47, 0, NULL, 0));
	printf("lengths: %zu %zu\n", len[0], len[1]);
	(void)fflush(stdout);
	for (int i = 0; i < 2; i++) {
		for (size_t at = 0; at + VALUE <= len[i]; at += VALUE)
			print_value(seed[i] + at);
		clear_seed(ctx, seed[i], len[i]);
	}
	((OSSL_FUNC_rand_freectx_fn *)find(f, OSSL_FUNC_RAND_FREECTX))(ctx);
}

static const OSSL_DISPATCH core[] = {
	{ OSSL_FUNC_CRYPTO_SECURE_MALLOC, (void (*)(void))allocate },
	{ OSSL_FUNC_CRYPTO_SECURE_CLEAR_FREE, (void (*)(void))release },
	{ 0, NULL },
};

static OSSL_provider_init_fn *find_init(void)
{
	void *module = dlopen(getenv("CPRNG_PROVIDER"), RTLD_NOW);
	OSSL_provider_init_fn *init = NULL;

	if (module != NULL)
		*(void **)&init = dlsym(module, "OSSL_provider_init");
	if (init == NULL)
		exit(5);
	return init;
}

/* One child each: the kernel refuses random numbers, or is not seeded yet. */
void refused_at_load(void)
{
	const int errors[] = { EPERM, EAGAIN };
	OSSL_provider_init_fn *init = find_init();

	for (int i = 0; i < 2; i++) {
		const OSSL_DISPATCH *functions;
		void *provctx;
		int status;
		pid_t child = fork();

		if (child == 0) {
			refuse_getrandom(errors[i]);
			_exit(init(NULL, core, &functions, &provctx));
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			fail("fork");
		printf("signal %d, loaded %d\n", WTERMSIG(status), WEXITSTATUS(status));
	}
}

void seeds(void)
{
	const OSSL_DISPATCH nothing[] = { { 0, NULL } };
	OSSL_provider_init_fn *init = find_init();
	const OSSL_DISPATCH *functions;
	void *provctx;
	int no_cache;

	printf("without memory functions: %d\n", init(NULL, nothing, &functions, &provctx));
	(void)fflush(stdout);
	if (!init(NULL, core, &functions, &provctx))
		exit(5);
	for (const OSSL_ALGORITHM *a = ((OSSL_FUNC_provider_query_operation_fn *)find(
		     functions, OSSL_FUNC_PROVIDER_QUERY_OPERATION))(provctx, OSSL_OP_RAND, &no_cache);
	     a->algorithm_names != NULL; a++)
		print_seeds(a, provctx);
	((OSSL_FUNC_provider_teardown_fn *)find(functions, OSSL_FUNC_PROVIDER_TEARDOWN))(provctx);
}

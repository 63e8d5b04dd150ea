/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws through OpenSSL, and the core's queries to a generator. */
#include "subject.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

void prepare_thread(void)
{
	unsigned char value[VALUE];

	draw_value(value, 0);
	draw_value(value, 1);
	/* Through the pools from now on; and a reseed now, which RAND_seed may skip after an earlier one. */
	RAND_seed(value, VALUE);
	if (EVP_RAND_reseed(RAND_get0_public(NULL), 1, NULL, 0, NULL, 0) != 1)
		exit(4);
}

void draw_value(unsigned char *value, unsigned int which)
{
	int done;

	switch (which % 4) {
	case 0:
		done = RAND_bytes(value, VALUE);
		break;
	case 1:
		done = RAND_priv_bytes(value, VALUE);
		break;
	case 2:
		done = EVP_RAND_generate(RAND_get0_public(NULL), value, VALUE, 256, 0, NULL, 0);
		break;
	default:
		done = EVP_RAND_nonce(RAND_get0_private(NULL), value, VALUE);
	}
	if (done != 1) {
		ERR_print_errors_fp(stderr);
		exit(4);
	}
}

/* ---------------------------------------------------------------------------------------------------- parameters */

static void print_context(const char *name, EVP_RAND_CTX *ctx)
{
	EVP_RAND *rand = EVP_RAND_CTX_get0_rand(ctx);
	size_t most = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_size_t(OSSL_RAND_PARAM_MAX_REQUEST, &most), OSSL_PARAM_END };

	if (!EVP_RAND_CTX_get_params(ctx, params))
		exit(4);
	printf("%s: %s of %s, state %d, strength %u, max_request %zu\n", name, EVP_RAND_get0_name(rand),
	       OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(rand)), EVP_RAND_get_state(ctx),
	       EVP_RAND_get_strength(ctx), most);
}

/* One line per query, since a printf's arguments are evaluated in any order. */
static void tell(const char *what, long answer)
{
	printf("%s: %ld\n", what, answer);
}

static unsigned int counter_of(EVP_RAND_CTX *ctx)
{
	unsigned int counter = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(OSSL_DRBG_PARAM_RESEED_COUNTER, &counter), OSSL_PARAM_END };

	return EVP_RAND_CTX_get_params(ctx, params) ? counter : 0;
}

static long time_of(EVP_RAND_CTX *ctx)
{
	time_t seconds = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_time_t(OSSL_DRBG_PARAM_RESEED_TIME, &seconds), OSSL_PARAM_END };

	return EVP_RAND_CTX_get_params(ctx, params) ? (long)seconds : 0;
}

static EVP_RAND_CTX *new_context(OSSL_LIB_CTX *library, const char *name, EVP_RAND_CTX *parent)
{
	EVP_RAND *rand = EVP_RAND_fetch(library, name, NULL);
	EVP_RAND_CTX *ctx = EVP_RAND_CTX_new(rand, parent);

	EVP_RAND_free(rand);
	if (ctx == NULL) {
		ERR_print_errors_fp(stderr);
		exit(4);
	}
	return ctx;
}

static void ask_new_context(void)
{
	static unsigned char large[3 << 20];
	unsigned char value[VALUE];
	EVP_RAND_CTX *ctx = new_context(NULL, "CPRNG", NULL);
	unsigned int before;
	size_t zeros = 0, most = 0;

	tell("new: state", EVP_RAND_get_state(ctx));
	tell("generate before instantiate", EVP_RAND_generate(ctx, value, VALUE, 0, 0, NULL, 0));
	tell("reseed before instantiate", EVP_RAND_reseed(ctx, 0, NULL, 0, NULL, 0));
	tell("instantiate, too strong", EVP_RAND_instantiate(ctx, 257, 0, NULL, 0, NULL));
	tell("instantiate", EVP_RAND_instantiate(ctx, 256, 1, (const unsigned char *)"text", 4, NULL));
	tell("state", EVP_RAND_get_state(ctx));
	tell("generate, too strong", EVP_RAND_generate(ctx, value, VALUE, 257, 0, NULL, 0));
	before = counter_of(ctx);
	tell("reseed", EVP_RAND_reseed(ctx, 1, large, 100, large, 33));
	tell("reseeds", (long)(counter_of(ctx) - before));
	before = counter_of(ctx);
	tell("generate with prediction resistance", EVP_RAND_generate(ctx, value, VALUE, 256, 1, large, 1));
	tell("reseeds", (long)(counter_of(ctx) - before));
	tell("generate 3 MiB", EVP_RAND_generate(ctx, large, sizeof(large), 256, 0, NULL, 0));
	for (size_t i = 0; i < sizeof(large); i++) {
		zeros = large[i] == 0 ? zeros + 1 : 0;
		most = zeros > most ? zeros : most;
	}
	/* At least eight of them: false alarms 2^-42. */
	tell("eight zeros in a row", most >= 8);
	tell("zeroized while in use", EVP_RAND_verify_zeroization(ctx));
	before = counter_of(ctx);
	tell("uninstantiate", EVP_RAND_uninstantiate(ctx));
	/* It has dropped the buffers of all. */
	tell("reseeds", (long)(counter_of(ctx) - before));
	tell("state", EVP_RAND_get_state(ctx));
	tell("zeroized", EVP_RAND_verify_zeroization(ctx));
	tell("generate after it", EVP_RAND_generate(ctx, value, VALUE, 0, 0, NULL, 0));
	EVP_RAND_CTX_free(ctx);
}

/* Counts RAND_seed's reseeds; a slow machine takes longer for its calls, and may count more. */
static void ask_reseeds(EVP_RAND_CTX *ctx)
{
	enum { CALLS = 1000, INTERVAL_MS = 100 };
	unsigned int before = counter_of(ctx);
	unsigned char seed[32] = { 0 };
	struct timespec begin, end;
	long ms;

	/* One happens. */
	while (counter_of(ctx) == before)
		RAND_seed(seed, sizeof(seed));
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	before = counter_of(ctx);
	for (int i = 0; i < CALLS; i++)
		RAND_seed(seed, sizeof(seed));
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (long)(end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
	tell("RAND_seed reseeds more often than it may", (long)(counter_of(ctx) - before) > ms / INTERVAL_MS + 1);
	before = counter_of(ctx);
	for (int i = 0; i < 3; i++)
		(void)EVP_RAND_reseed(ctx, 1, NULL, 0, NULL, 0);
	tell("reseeds with prediction resistance", (long)(counter_of(ctx) - before));
}

/* A child's first query of the count tells derived generators to reseed, whatever the process numbers are. */
static void ask_in_child(EVP_RAND_CTX *ctx)
{
	const unsigned int before = counter_of(ctx);
	unsigned char value[VALUE];
	int status;
	pid_t child;

	/* Wait until the second of the last reseed is over. */
	while (time(NULL) == time_of(ctx))
		(void)usleep(10000);
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		const long begin = (long)time(NULL), unchanged = (long)(counter_of(ctx) - before);

		for (int i = 0; i < 3; i++)
			draw_value(value, (unsigned int)i);
		printf("reseeds of a child before it draws: %ld, after: %ld, time is of the draw: %d\n", unchanged,
		       (long)(counter_of(ctx) - before), time_of(ctx) >= begin && time_of(ctx) <= (long)time(NULL));
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		fail("fork");
}

static void parameters(void)
{
	static unsigned char seed[100000];
	unsigned char value[VALUE];
	EVP_RAND_CTX *primary = RAND_get0_primary(NULL);
	OSSL_PARAM size[] = { { OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0, 0 }, OSSL_PARAM_END };

	tell("status", RAND_status());
	print_context("primary", primary);
	print_context("public", RAND_get0_public(NULL));
	print_context("private", RAND_get0_private(NULL));
	for (int i = 0; i < 2; i++)
		tell("enable_locking", EVP_RAND_enable_locking(primary));
	tell("self-test", OSSL_PROVIDER_self_test(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(primary))));
	tell("size of the name",
	     OSSL_PROVIDER_get_params(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(primary)), size));
	tell("is", (long)size[0].return_size);
	ask_new_context();
	RAND_seed(seed, sizeof(seed));
	RAND_add(seed, 1, 0.0);
	tell("bytes after RAND_seed", RAND_bytes(value, VALUE));
	ask_reseeds(primary);
	ask_in_child(primary);
}

/* A parameter of each type and size, compared with OpenSSL's own function for the same value. */
static void compare_parameter(EVP_RAND_CTX *ctx, const char *key, uint64_t value, unsigned long *stored)
{
	const unsigned int types[] = { OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_REAL,
				       OSSL_PARAM_OCTET_STRING };
	enum { SIZES = 24 };

	for (size_t i = 0; i < 4 * SIZES; i++) {
		unsigned char data[2][SIZES + 1];
		OSSL_PARAM params[] = { { key, types[i / SIZES], data[0], i % SIZES, OSSL_PARAM_UNMODIFIED },
					OSSL_PARAM_END };
		OSSL_PARAM own = params[0];
		int done, own_done;

		memset(data, 0xa5, sizeof(data));
		own.data = data[1];
		done = EVP_RAND_CTX_get_params(ctx, params);
		own_done = OSSL_PARAM_set_uint64(&own, value);
		*stored += (unsigned long)done;
		if (done != own_done || memcmp(data[0], data[1], sizeof(data[0])) != 0 ||
		    (done && params[0].return_size != own.return_size))
			printf("%s, type %u, %zu bytes: %d, size %zu; OpenSSL's: %d, size %zu\n", key, types[i / SIZES],
			       i % SIZES, done, params[0].return_size, own_done, own.return_size);
	}
}

static void parameter_types(void)
{
	EVP_RAND_CTX *ctx = new_context(NULL, "CPRNG", NULL);
	unsigned long stored = 0;

	if (!EVP_RAND_instantiate(ctx, 256, 0, NULL, 0, NULL))
		exit(4);
	/* A count whose byte has the sign bit set. */
	while (counter_of(ctx) < 200)
		(void)EVP_RAND_reseed(ctx, 1, NULL, 0, NULL, 0);
	for (const OSSL_PARAM *p = EVP_RAND_CTX_gettable_params(ctx); p->key != NULL; p++) {
		uint64_t value = 0;
		OSSL_PARAM params[] = { OSSL_PARAM_construct_uint64(p->key, &value), OSSL_PARAM_END };

		if (!EVP_RAND_CTX_get_params(ctx, params))
			exit(4);
		compare_parameter(ctx, p->key, value, &stored);
	}
	EVP_RAND_CTX_free(ctx);
	tell("stored", (long)stored);
}

/* The filter applies to this thread alone. */
static void *ask_refused(void *ctx)
{
	unsigned char value[VALUE];

	refuse_getrandom(EPERM);
	tell("refused, with prediction resistance", EVP_RAND_generate(ctx, value, VALUE, 256, 1, NULL, 0));
	tell("refused, reseed", EVP_RAND_reseed(ctx, 0, NULL, 0, NULL, 0));
	return NULL;
}

static void refused_once(void)
{
	EVP_RAND_CTX *ctx = new_context(NULL, "CPRNG", NULL);
	unsigned char value[VALUE];
	pthread_t thread;

	tell("instantiate", EVP_RAND_instantiate(ctx, 256, 0, NULL, 0, NULL));
	if (pthread_create(&thread, NULL, ask_refused, ctx) != 0)
		fail("pthread_create");
	(void)pthread_join(thread, NULL);
	tell("state", EVP_RAND_get_state(ctx));
	tell("generate", EVP_RAND_generate(ctx, value, VALUE, 256, 0, NULL, 0));
	tell("with prediction resistance", EVP_RAND_generate(ctx, value, VALUE, 256, 1, NULL, 0));
	EVP_RAND_CTX_free(ctx);
}

/* Generators of the default provider that take their seeds from this one: two lines of values for each kind of parent. */
static void parents(void)
{
	const char *const names[] = { "CPRNG", "CPRNG-SEED-SRC" };
	const char *const children[] = { "CTR-DRBG", "HASH-DRBG" };
	unsigned char value[VALUE];

	for (size_t i = 0; i < 4; i++) {
		char cipher[] = "AES-256-CTR", digest[] = "SHA512";
		const OSSL_PARAM params[] = {
			i < 2 ? OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_CIPHER, cipher, 0) :
				OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_DIGEST, digest, 0),
			OSSL_PARAM_END,
		};
		EVP_RAND_CTX *parent = new_context(NULL, names[i % 2], NULL);
		EVP_RAND_CTX *child = new_context(NULL, children[i / 2], parent);

		if (!EVP_RAND_instantiate(parent, 256, 0, NULL, 0, NULL) || !EVP_RAND_enable_locking(child) ||
		    !EVP_RAND_instantiate(child, 256, 0, NULL, 0, params)) {
			ERR_print_errors_fp(stderr);
			exit(4);
		}
		for (int again = 0; again < 2; again++) {
			/* The second with prediction resistance, for which the parent is asked again. */
			if (!EVP_RAND_generate(child, value, VALUE, 256, again, NULL, 0)) {
				ERR_print_errors_fp(stderr);
				exit(4);
			}
			print_value(value);
		}
		EVP_RAND_CTX_free(child);
		EVP_RAND_CTX_free(parent);
	}
}

/* Ending a context drops what the module has buffered, and draws nothing. */
static void invalidate(void)
{
	EVP_RAND_CTX *ctx = new_context(NULL, "CPRNG", NULL);

	if (!EVP_RAND_uninstantiate(ctx))
		exit(4);
	EVP_RAND_CTX_free(ctx);
}

static void poll(void)
{
	if (!RAND_poll())
		exit(4);
}

static void copies_polled(void)
{
	in_each_copy = poll;
	copies();
}

static void copies_invalidated(void)
{
	in_each_copy = invalidate;
	copies();
}

const struct mode other_modes[] = {
	{ "parameters", parameters },
	{ "parameter-types", parameter_types },
	{ "parents", parents },
	{ "seeds", seeds },
	{ "refused-at-load", refused_at_load },
	{ "refused-once", refused_once },
	{ "copies-invalidated", copies_invalidated },
	{ "copies-polled", copies_polled },
	{ NULL, NULL },
};

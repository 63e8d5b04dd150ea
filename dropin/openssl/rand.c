/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two algorithms of EVP_RAND, see provider-rand(7): CPRNG draws from the buffers, for the primary, public and private
 * generators alike; CPRNG-SEED-SRC reads from Fortuna, for generators of other providers.
 *
 * A context has no secret and needs no lock.  All contexts, threads and library contexts share the keys, buffers,
 * reseeds and their count and time in this module's copy of the library, which detects forks.
 */
#include "provider.h"

#include <cprng/cprng.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	STRENGTH = 256, /* bits */
	/* At most 2 GiB per call, which is also the limit of RAND_bytes_ex(3)'s callers. */
	MAX_REQUEST = 0x7fffffff,
	/* The application's source number in Fortuna. */
	SOURCE = 0,
	/* RAND_add(3) and RAND_seed(3) reseed at most once in this interval: a reseed restarts all threads' long draws. */
	RESEED_INTERVAL_NS = 100000000,
};

struct generator {
	const struct provider *provider;
	void (*fill)(void *buf, size_t len);
	int state; /* accessed by several threads */
};

static int state_of(const struct generator *g)
{
	return __atomic_load_n(&g->state, __ATOMIC_RELAXED);
}

static void set_state(struct generator *g, int state)
{
	__atomic_store_n(&g->state, state, __ATOMIC_RELAXED);
}

/*
 * The reseeds that this module requested or detected: at the instantiation of a context, by a call, and when the library has
 * begun another generation (after a fork, by an invalidation, in a clone).  The library's own reseeds are not counted.  Queries
 * detect them, so draws need not: generators of other providers that derive from a context query the count at each request, and
 * reseed when it has changed.
 */
static struct {
	uint32_t count;
	uint64_t time;       /* of the last reseed, in seconds since 1970 */
	uint64_t asked;      /* time of the last reseed by a call, in nanoseconds of CLOCK_MONOTONIC; 0: never */
	uint64_t generation; /* cprng_generation_number's at the last check */
} reseeds;

static void note_reseed(void)
{
	__atomic_store_n(&reseeds.time, (uint64_t)time(NULL), __ATOMIC_RELAXED);
	(void)__atomic_fetch_add(&reseeds.count, 1, __ATOMIC_RELEASE);
}

/*
 * Detect a clone, and count another generation as a reseed; returns whether it did.  Without buffers there are no generations,
 * and OpenSSL's own generators detect forks by the process number.
 */
static bool note_generation(void)
{
	const uint64_t *const number = cprng_generation_number();
	const uint64_t noted = __atomic_load_n(&reseeds.generation, __ATOMIC_ACQUIRE);
	uint64_t now = number == NULL ? 0 : __atomic_load_n(number, __ATOMIC_ACQUIRE);

	/* Even: nothing was drawn, or this is a child, possibly with its parent's process number.  A draw begins a generation. */
	if (__builtin_expect(number != NULL && now % 2 == 0, 0)) {
		(void)cprng_fast8();
		now = __atomic_load_n(number, __ATOMIC_ACQUIRE);
	}
	/* Still even if another thread is about to begin one: count it, one count too many only causes a needless reseed. */
	if (__builtin_expect(number == NULL || (now == noted && now % 2 != 0), 1))
		return false;
	/* Count first, so that a thread that sees the new generation also sees the count. */
	note_reseed();
	if (now % 2 != 0)
		__atomic_store_n(&reseeds.generation, now, __ATOMIC_RELEASE);
	return true;
}

static void *new_context(const struct provider *p, void (*fill)(void *, size_t))
{
	struct generator *g = calloc(1, sizeof(*g));

	if (g == NULL) {
		(void)cprng_provider_error(p, REASON_MEMORY);
		return NULL;
	}
	g->provider = p;
	g->fill = fill;
	g->state = EVP_RAND_STATE_UNINITIALISED;
	return g;
}

/* Ignores the parent: the library reseeds itself from the kernel. */
static void *new_rand(void *provctx, void *parent, const OSSL_DISPATCH *parent_calls)
{
	(void)parent;
	(void)parent_calls;
	return new_context(provctx, cprng_fast);
}

static void *new_seed_source(void *provctx, void *parent, const OSSL_DISPATCH *parent_calls)
{
	(void)parent;
	(void)parent_calls;
	return new_context(provctx, cprng_strong);
}

static void free_context(void *vg)
{
	free(vg);
}

/* Mix the caller's data into Fortuna without credit; it reseeds the buffers once a second. */
static void mix(const unsigned char *data, size_t len)
{
	enum { EVENT = 32 };

	if (data == NULL)
		return;
	for (size_t n; len > 0; data += n, len -= n) {
		n = len < EVENT ? len : EVENT;
		/* A full queue drops the event, which carries no credit anyway. */
		(void)cprng_add_entropy(SOURCE, data, n, 0);
	}
}

static uint64_t monotonic(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* If the kernel refuses, only this request fails: later draws use the previous keys. */
static int reseed_now(const struct generator *g)
{
	if (cprng_reseed() != CPRNG_OK)
		return cprng_provider_error(g->provider, REASON_ENTROPY);
	if (!note_generation())
		note_reseed();
	__atomic_store_n(&reseeds.asked, monotonic(), __ATOMIC_RELAXED);
	return 1;
}

static bool has_just_reseeded(void)
{
	const uint64_t asked = __atomic_load_n(&reseeds.asked, __ATOMIC_RELAXED);

	return asked != 0 && monotonic() - asked < RESEED_INTERVAL_NS;
}

static int instantiate(void *vg, unsigned int strength, int prediction_resistance, const unsigned char *personalization,
		       size_t len, const OSSL_PARAM params[])
{
	struct generator *g = vg;

	(void)params; /* cipher, digest and intervals are for other generators */
	if (strength > STRENGTH)
		return cprng_provider_error(g->provider, REASON_STRENGTH);
	mix(personalization, len);
	if (prediction_resistance && !reseed_now(g))
		return 0;
	if (!prediction_resistance)
		note_reseed();
	set_state(g, EVP_RAND_STATE_READY);
	return 1;
}

/* Erase the buffers too, so that nothing remains that this context could have returned. */
static int uninstantiate(void *vg)
{
	struct generator *g = vg;

	cprng_invalidate();
	set_state(g, EVP_RAND_STATE_UNINITIALISED);
	return 1;
}

static int generate(void *vg, unsigned char *out, size_t len, unsigned int strength, int prediction_resistance,
		    const unsigned char *additional, size_t additional_len)
{
	struct generator *g = vg;

	if (__builtin_expect(state_of(g) != EVP_RAND_STATE_READY, 0))
		return cprng_provider_error(g->provider, REASON_NOT_INSTANTIATED);
	if (__builtin_expect(strength > STRENGTH, 0))
		return cprng_provider_error(g->provider, REASON_STRENGTH);
	mix(additional, additional_len);
	if (prediction_resistance && !reseed_now(g))
		return 0;
	g->fill(out, len);
	return 1;
}

static int reseed(void *vg, int prediction_resistance, const unsigned char *entropy, size_t entropy_len,
		  const unsigned char *additional, size_t additional_len)
{
	struct generator *g = vg;

	if (state_of(g) != EVP_RAND_STATE_READY)
		return cprng_provider_error(g->provider, REASON_NOT_INSTANTIATED);
	mix(entropy, entropy_len);
	mix(additional, additional_len);
	return (!prediction_resistance && has_just_reseeded()) || reseed_now(g);
}

static size_t nonce(void *vg, unsigned char *out, unsigned int strength, size_t least, size_t most)
{
	const struct generator *g = vg;
	size_t len = strength / 8;

	if (len < least)
		len = least;
	if (len > most)
		len = most;
	if (out != NULL)
		g->fill(out, len);
	return len;
}

/* A seed for another provider's generator: Fortuna's bytes, for both algorithms. */
static size_t get_seed(void *vg, unsigned char **buffer, int entropy, size_t least, size_t most,
		       int prediction_resistance, const unsigned char *additional, size_t additional_len)
{
	struct generator *g = vg;
	size_t len = entropy > 0 ? ((size_t)entropy + 7) / 8 : 0;

	if (len < least)
		len = least;
	if (len > most)
		return 0;
	mix(additional, additional_len);
	if (prediction_resistance && !reseed_now(g))
		return 0;
	*buffer = g->provider->secure_malloc(len, "cprng", 0);
	if (*buffer == NULL)
		return 0;
	cprng_strong(*buffer, len);
	return len;
}

static void clear_seed(void *vg, unsigned char *buffer, size_t len)
{
	const struct generator *g = vg;

	g->provider->secure_clear_free(buffer, len, "cprng", 0);
}

/* The core calls this once for each generator, and so does each generator that derives from it. */
static int enable_locking(void *vg)
{
	(void)vg;
	return 1;
}

/* A context holds no secret, and uninstantiate erases the buffers. */
static int verify_zeroization(void *vg)
{
	const struct generator *g = vg;

	return state_of(g) == EVP_RAND_STATE_UNINITIALISED;
}

/* ---------------------------------------------------------------------------------------------------- parameters */

static const OSSL_PARAM *gettable_ctx_params(void *vg, void *provctx)
{
#define NUMBER(name, type) { name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(type), OSSL_PARAM_UNMODIFIED }
	static const OSSL_PARAM list[] = {
		{ OSSL_RAND_PARAM_STATE, OSSL_PARAM_INTEGER, NULL, sizeof(int), OSSL_PARAM_UNMODIFIED },
		NUMBER(OSSL_RAND_PARAM_STRENGTH, unsigned int),
		NUMBER(OSSL_RAND_PARAM_MAX_REQUEST, size_t),
		NUMBER(OSSL_DRBG_PARAM_RESEED_COUNTER, unsigned int),
		{ OSSL_DRBG_PARAM_RESEED_TIME, OSSL_PARAM_INTEGER, NULL, sizeof(time_t), OSSL_PARAM_UNMODIFIED },
		NUMBER(OSSL_DRBG_PARAM_MIN_ENTROPYLEN, size_t),
		NUMBER(OSSL_DRBG_PARAM_MAX_ENTROPYLEN, size_t),
		NUMBER(OSSL_DRBG_PARAM_MIN_NONCELEN, size_t),
		NUMBER(OSSL_DRBG_PARAM_MAX_NONCELEN, size_t),
		NUMBER(OSSL_DRBG_PARAM_MAX_PERSLEN, size_t),
		NUMBER(OSSL_DRBG_PARAM_MAX_ADINLEN, size_t),
		{ NULL, 0, NULL, 0, 0 },
	};
#undef NUMBER

	(void)vg;
	(void)provctx;
	return list;
}

/* Parameters that are the same for all contexts.  The core asks for max_request at each call of generate. */
static const struct {
	const char *key;
	uint64_t value;
} constant[] = {
	{ OSSL_RAND_PARAM_MAX_REQUEST, MAX_REQUEST }, { OSSL_RAND_PARAM_STRENGTH, STRENGTH },
	{ OSSL_DRBG_PARAM_MIN_ENTROPYLEN, 0 },        { OSSL_DRBG_PARAM_MAX_ENTROPYLEN, MAX_REQUEST },
	{ OSSL_DRBG_PARAM_MIN_NONCELEN, 0 },          { OSSL_DRBG_PARAM_MAX_NONCELEN, MAX_REQUEST },
	{ OSSL_DRBG_PARAM_MAX_PERSLEN, MAX_REQUEST }, { OSSL_DRBG_PARAM_MAX_ADINLEN, MAX_REQUEST },
};

static int get_parameter(const struct generator *g, OSSL_PARAM *p)
{
	for (size_t i = 0; i < sizeof(constant) / sizeof(constant[0]); i++) {
		if (strcmp(p->key, constant[i].key) == 0)
			return cprng_parameter_set_number(p, constant[i].value);
	}
	if (strcmp(p->key, OSSL_RAND_PARAM_STATE) == 0)
		return cprng_parameter_set_number(p, (uint64_t)state_of(g));
	/* Other providers' generators draw nothing here until the count tells them to. */
	if (strcmp(p->key, OSSL_DRBG_PARAM_RESEED_COUNTER) == 0) {
		(void)note_generation();
		return cprng_parameter_set_number(p, __atomic_load_n(&reseeds.count, __ATOMIC_ACQUIRE));
	}
	if (strcmp(p->key, OSSL_DRBG_PARAM_RESEED_TIME) == 0) {
		(void)note_generation();
		return cprng_parameter_set_number(p, __atomic_load_n(&reseeds.time, __ATOMIC_RELAXED));
	}
	return 1;
}

static int get_ctx_params(void *vg, OSSL_PARAM params[])
{
	int done = 1;

	for (OSSL_PARAM *p = params; p->key != NULL; p++)
		done &= get_parameter(vg, p);
	return done;
}

#define FUNCTIONS(make_context) \
	{ OSSL_FUNC_RAND_NEWCTX, (void (*)(void))make_context }, \
		{ OSSL_FUNC_RAND_FREECTX, (void (*)(void))free_context }, \
		{ OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate }, \
		{ OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate }, \
		{ OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate }, \
		{ OSSL_FUNC_RAND_RESEED, (void (*)(void))reseed }, { OSSL_FUNC_RAND_NONCE, (void (*)(void))nonce }, \
		{ OSSL_FUNC_RAND_GET_SEED, (void (*)(void))get_seed }, \
		{ OSSL_FUNC_RAND_CLEAR_SEED, (void (*)(void))clear_seed }, \
		{ OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))enable_locking }, \
		{ OSSL_FUNC_RAND_VERIFY_ZEROIZATION, (void (*)(void))verify_zeroization }, \
		{ OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params }, \
		{ OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_ctx_params }, \
	{ \
		0, NULL \
	}

const OSSL_DISPATCH cprng_rand_functions[] = { FUNCTIONS(new_rand) };
const OSSL_DISPATCH cprng_seed_source_functions[] = { FUNCTIONS(new_seed_source) };

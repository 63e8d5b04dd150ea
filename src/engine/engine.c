/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of engines, and the choice among their backends. */
#include "engine/engine.h"

#include "cpu/cpu.h"

const struct cprng_engine cprng_engines[] = {
	[CPRNG_ENGINE_CHACHA20] = { "chacha20", &cprng_family_chacha, { 32, 16 }, { 8, 12 }, 64, 20 },
	[CPRNG_ENGINE_CHACHA12] = { "chacha12", &cprng_family_chacha, { 32, 16 }, { 8, 12 }, 64, 12 },
	[CPRNG_ENGINE_CHACHA8] = { "chacha8", &cprng_family_chacha, { 32, 16 }, { 8, 12 }, 64, 8 },
#ifndef CPRNG_CHACHA_ALONE
	[CPRNG_ENGINE_SALSA20] = { "salsa20", &cprng_family_salsa20, { 32, 16 }, { 8, 0 }, 64, 20 },
	[CPRNG_ENGINE_SALSA20_12] = { "salsa20-12", &cprng_family_salsa20, { 32, 16 }, { 8, 0 }, 64, 12 },
	[CPRNG_ENGINE_SALSA20_8] = { "salsa20-8", &cprng_family_salsa20, { 32, 16 }, { 8, 0 }, 64, 8 },
	[CPRNG_ENGINE_AES256_CTR] = { "aes256-ctr", &cprng_family_aesctr, { 32, 0 }, { 16, 0 }, 16, 14 },
	[CPRNG_ENGINE_AES128_CTR] = { "aes128-ctr", &cprng_family_aesctr, { 16, 0 }, { 16, 0 }, 16, 10 },
#endif
	[CPRNG_ENGINES] = { NULL, NULL, { 0, 0 }, { 0, 0 }, 0, 0 },
};

/* strcmp() is not among what core/port.h promises. */
static bool same_name(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct cprng_engine *cprng_engine_find(const char *name)
{
	const struct cprng_engine *engine;

	for (engine = cprng_engines; engine->name != NULL; engine++) {
		if (same_name(engine->name, name))
			return engine;
	}
	return NULL;
}

const struct cprng_backend *cprng_backend_find(const struct cprng_engine *engine, const char *name)
{
	const struct cprng_backend *backend;

	for (backend = engine->family->backends; backend->name != NULL; backend++) {
		if (same_name(backend->name, name))
			return backend;
	}
	return NULL;
}

bool cprng_backend_usable(const struct cprng_backend *backend)
{
	return (backend->needs & ~cprng_cpu_features()) == 0;
}

/*
 * The verdict on each backend, by its place in its family's table: kept for backends and not for the choice among
 * them, so that the choice follows the ceiling down and up.  Callers that race compute the same verdict.
 */
enum { UNKNOWN, PASSED, FAILED };
#define BACKENDS_MAX 8
static uint8_t verdicts[CPRNG_ENGINES][BACKENDS_MAX];

static bool passes(const struct cprng_engine *engine, const struct cprng_backend *backend)
{
	uint8_t *const verdict = &verdicts[engine - cprng_engines][backend - engine->family->backends];
	uint8_t found = __atomic_load_n(verdict, __ATOMIC_RELAXED);

	if (CPRNG_UNLIKELY(found == UNKNOWN)) {
		found = cprng_engine_selftest(engine, backend) == 0 ? PASSED : FAILED;
		__atomic_store_n(verdict, found, __ATOMIC_RELAXED);
	}
	return found == PASSED;
}

const struct cprng_backend *cprng_engine_select(const struct cprng_engine *engine)
{
	const struct cprng_backend *const backends = engine->family->backends;
	size_t i;

	for (i = 0; i < BACKENDS_MAX && backends[i].name != NULL; i++) {
		if (cprng_backend_usable(&backends[i]) && passes(engine, &backends[i]))
			return &backends[i];
	}
	return NULL;
}

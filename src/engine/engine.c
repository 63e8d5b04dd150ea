/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of engines, and the selection of their backends. */
#include "engine/engine.h"

#include "cpu/cpu.h"

/* Key and nonce sizes, block and counter of each family; fields that only some of its engines set follow the macro. */
#define CHACHA(label, count) \
	.name = (label), .family = &cprng_family_chacha, .key_sizes = { 32, 16 }, .nonce_sizes = { 8, 12 }, \
	.block_size = 64, .rounds = (count), .counter_bits = 64
#define SALSA20(label, count) \
	.name = (label), .family = &cprng_family_salsa20, .key_sizes = { 32, 16 }, .nonce_sizes = { 8 }, \
	.block_size = 64, .rounds = (count), .counter_bits = 64
#define AES_CTR(label, key, count) \
	.name = (label), .family = &cprng_family_aesctr, .key_sizes = { (key) }, .nonce_sizes = { 16 }, \
	.block_size = 16, .rounds = (count), .counter_bits = 128, .blocks_per_key = CPRNG_REKEY_BLOCKS_AES

const struct cprng_engine cprng_engines[] = {
	[CPRNG_ENGINE_CHACHA20] = { CHACHA("chacha20", 20), .is_for_generators = true },
	[CPRNG_ENGINE_CHACHA12] = { CHACHA("chacha12", 12) },
	[CPRNG_ENGINE_CHACHA8] = { CHACHA("chacha8", 8) },
#ifndef CPRNG_CHACHA_ALONE
	[CPRNG_ENGINE_SALSA20] = { SALSA20("salsa20", 20) },
	[CPRNG_ENGINE_SALSA20_12] = { SALSA20("salsa20-12", 12) },
	[CPRNG_ENGINE_SALSA20_8] = { SALSA20("salsa20-8", 8) },
	/* AES is slow without instructions for it; then ChaCha20 is preferred. */
	[CPRNG_ENGINE_AES256_CTR] = { AES_CTR("aes256-ctr", 32, 14), .is_for_generators = true,
				      .preferred_on = CPRNG_CPU_AESNI | CPRNG_CPU_ARM_AES },
	[CPRNG_ENGINE_AES128_CTR] = { AES_CTR("aes128-ctr", 16, 10) },
#endif
	[CPRNG_ENGINES] = { .name = NULL },
};

/* core/port.h does not provide strcmp(). */
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
 * The self-test verdict of each engine's backends, by their index in the family's table.  Kept for each backend, so that the
 * selection follows a ceiling that is lowered and raised.  Concurrent callers compute the same verdict.
 */
enum { UNKNOWN, PASSED, FAILED };
static uint8_t verdicts[CPRNG_ENGINES][CPRNG_BACKENDS_MAX];

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
	const struct cprng_backend *backend;

	for (backend = engine->family->backends; backend->name != NULL; backend++) {
		if (cprng_backend_usable(backend) && passes(engine, backend))
			return backend;
	}
	return NULL;
}

/* Choose the first row that generators may use; with `preferred`, only among rows that this CPU has instructions for. */
static bool choose(bool preferred, const struct cprng_engine **engine, const struct cprng_backend **backend)
{
	const struct cprng_engine *e;

	for (e = cprng_engines; e->name != NULL; e++) {
		if (!e->is_for_generators || preferred != (e->preferred_on != 0))
			continue;
		if (preferred && (e->preferred_on & cprng_cpu_features()) == 0)
			continue;
		*engine = e;
		*backend = cprng_engine_select(e);
		/* If all backends with those instructions have failed their self-test, only slow ones are left. */
		if (*backend != NULL && (!preferred || ((*backend)->needs & e->preferred_on) != 0))
			return true;
	}
	return false;
}

bool cprng_engine_default(const struct cprng_engine **engine, const struct cprng_backend **backend)
{
	return choose(true, engine, backend) || choose(false, engine, backend);
}

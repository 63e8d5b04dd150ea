/* SPDX-License-Identifier: BSD-2-Clause */
#include "spoiled_engines.h"

#include "numbers/numbers.h"

bool spoiled_portable_fails, spoiled_normals_fail;
unsigned long spoiled_unusable_calls, spoiled_broken_calls, spoiled_portable_calls;

static const struct cprng_backend *real(void)
{
	const struct cprng_backend *b = cprng_family_chacha.backends;

	while (b[1].name != NULL)
		b++;
	return b;
}

static void set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	real()->set_key(ks, key, key_size);
}

static void set_position(struct cprng_keystate *ks, const uint8_t *nonce, size_t nonce_size, uint64_t block)
{
	cprng_family_chacha.set_position(ks, nonce, nonce_size, block);
}

static void unusable(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks, unsigned int flags)
{
	spoiled_unusable_calls++;
	real()->keystream(ks, rounds, out, nblocks, flags);
}

static void broken(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks, unsigned int flags)
{
	spoiled_broken_calls++;
	real()->keystream(ks, rounds, out, nblocks, flags);
	if (nblocks > 16)
		out[nblocks * 64 - 1] ^= 1;
}

static void portable(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks, unsigned int flags)
{
	spoiled_portable_calls++;
	real()->keystream(ks, rounds, out, nblocks, flags);
	if (spoiled_portable_fails)
		out[0] ^= 1;
}

static const struct cprng_backend spoiled_backends[] = {
	{ "unusable", 1u << 30, set_key, unusable },
	{ "broken", 0, set_key, broken },
	{ "portable", 0, set_key, portable },
	{ NULL, 0, NULL, NULL },
};

const struct cprng_family spoiled_family_chacha = { "chacha", spoiled_backends, set_position };

static void normals(uint8_t *place, size_t count, double mu, double sigma)
{
	cprng_numbers_normals_lanes2(place, count, mu, sigma);
	if (spoiled_normals_fail)
		place[8 * count - 1] ^= 1;
}

#define cprng_numbers_normals_lanes2 normals
#define cprng_numbers_backends spoiled_numbers_backends
#define cprng_numbers_usable spoiled_numbers_usable
#define cprng_numbers_selftest spoiled_numbers_selftest
#define cprng_numbers_select spoiled_numbers_select
#define cprng_numbers_passed spoiled_numbers_passed
#define cprng_numbers_first_usable spoiled_numbers_first_usable
#define cprng_number_normal_valid spoiled_number_normal_valid
#define cprng_number_exponential_valid spoiled_number_exponential_valid
#define cprng_number_normal spoiled_number_normal
#define cprng_number_exponential spoiled_number_exponential
#define cprng_family_chacha spoiled_family_chacha
#define cprng_engines spoiled_engines
#define cprng_engine_find spoiled_engine_find
#define cprng_backend_find spoiled_backend_find
#define cprng_backend_usable spoiled_backend_usable
#define cprng_engine_select spoiled_engine_select
#define cprng_engine_default spoiled_engine_default
#define cprng_engine_selftest spoiled_engine_selftest
#define cprng_version spoiled_version
#define cprng_get_info spoiled_get_info
#define cprng_get_engine spoiled_get_engine
#define cprng_selftest spoiled_selftest
#define cprng_strerror spoiled_strerror
#define cprng_known_answers spoiled_known_answers /* the struct's name as well; spoiled_answers.c */

/* NOLINTBEGIN(bugprone-suspicious-include): as the header says */
#include "engine/engine.c"
#include "engine/selftest.c"
#include "api/queries.c"
#include "numbers/numbers.c"
/* NOLINTEND(bugprone-suspicious-include) */

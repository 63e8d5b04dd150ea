/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Salsa20: key set-up, the portable backend in the shape of Bernstein's specification (2005), and the table of
 * backends.
 */
#include "engine/salsa20/salsa20.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/cpu.h"

/*
 * The specification's section 9: constants on the diagonal (words 0, 5, 10, 15), key in words 1 to 4 and 11 to 14 (a
 * short one twice), nonce in 6 and 7, block counter in 8 and 9.
 */
static void salsa20_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	static const char constants[2][17] = { "expand 16-byte k", "expand 32-byte k" };
	const char *const constant = constants[key_size == 32];
	uint32_t *const word = ks->u.word;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		word[5 * i] = cprng_load_le32(constant + 4 * i);
		word[1 + i] = cprng_load_le32(key + 4 * i);
		word[11 + i] = cprng_load_le32(key + key_size - 16 + 4 * i);
	}
}

static void salsa20_set_position(struct cprng_keystate *ks, const uint8_t *nonce, size_t nonce_size, uint64_t block)
{
	uint32_t *const word = ks->u.word;

	(void)nonce_size; /* 8, the only one */
	word[6] = cprng_load_le32(nonce);
	word[7] = cprng_load_le32(nonce + 4);
	word[8] = (uint32_t)block;
	word[9] = (uint32_t)(block >> 32);
}

/* Section 4 */
CPRNG_INLINE void rowround(uint32_t y[16])
{
	cprng_salsa20_quarter(y, 0, 1, 2, 3);
	cprng_salsa20_quarter(y, 5, 6, 7, 4);
	cprng_salsa20_quarter(y, 10, 11, 8, 9);
	cprng_salsa20_quarter(y, 15, 12, 13, 14);
}

/* Section 5 */
CPRNG_INLINE void columnround(uint32_t x[16])
{
	cprng_salsa20_quarter(x, 0, 4, 8, 12);
	cprng_salsa20_quarter(x, 5, 9, 13, 1);
	cprng_salsa20_quarter(x, 10, 14, 2, 6);
	cprng_salsa20_quarter(x, 15, 3, 7, 11);
}

/* Section 8, for any even number of rounds */
static CPRNG_NOINLINE CPRNG_NO_CANARY void hash(const uint32_t input[16], unsigned int rounds, uint8_t out[64])
{
	uint32_t x[16];
	unsigned int i;

	memcpy(x, input, sizeof(x));
	for (i = 0; i < rounds; i += 2) {
		columnround(x);
		rowround(x);
	}
	for (i = 0; i < 16; i++)
		cprng_store_le32(out + 4 * i, x[i] + input[i]);
	cprng_wipe(x, sizeof(x));
}

CPRNG_DEFINE_WIPE_STACK(salsa20_wipe_stack, uint64_t, 64)

static CPRNG_NO_CANARY void salsa20_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out,
					      size_t nblocks, unsigned int flags)
{
	uint32_t *const word = ks->u.word;

	(void)flags;
	for (; nblocks != 0; nblocks--) {
		hash(word, rounds, out);
		out += 64;
		word[8]++;
		if (word[8] == 0)
			word[9]++;
	}
	salsa20_wipe_stack();
}

static const struct cprng_backend salsa20_backends[] = {
#if defined(__x86_64__)
#ifndef CPRNG_SMALL_STACK
	{ "avx512", CPRNG_CPU_AVX512, salsa20_set_key, cprng_salsa20_avx512 },
#endif
	{ "avx2", CPRNG_CPU_AVX2, salsa20_set_key, cprng_salsa20_avx2 },
	{ "sse2", 0, salsa20_set_key, cprng_salsa20_sse2 },
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	{ "neon", 0, salsa20_set_key, cprng_salsa20_neon },
#elif defined(__wasm_simd128__)
	{ "simd128", 0, salsa20_set_key, cprng_salsa20_simd128 },
#endif
	{ "portable", 0, salsa20_set_key, salsa20_keystream },
	{ NULL, 0, NULL, NULL },
};

CPRNG_CHECK_BACKENDS(salsa20_backends);

const struct cprng_family cprng_family_salsa20 = { "salsa20", salsa20_backends, salsa20_set_position };

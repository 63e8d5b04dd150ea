/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ChaCha: key set-up, the portable backend in the shape of RFC 8439, and the table of backends.
 *
 * Besides the RFC's 12-byte nonce it supports Bernstein's original layout, an 8-byte nonce and a 64-bit block counter, and
 * the original's 16-byte keys.
 */
#include "engine/chacha/chacha.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/cpu.h"

/* Word 0 to 3 constant, 4 to 11 key (a short one twice), 12 and 13 block counter, 13 or 14 to 15 nonce. */
static void chacha_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	static const char constants[2][17] = { "expand 16-byte k", "expand 32-byte k" };
	const char *const constant = constants[key_size == 32];
	uint32_t *const word = ks->u.word;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		word[i] = cprng_load_le32(constant + 4 * i);
		word[4 + i] = cprng_load_le32(key + 4 * i);
		word[8 + i] = cprng_load_le32(key + key_size - 16 + 4 * i);
	}
}

static void chacha_set_position(struct cprng_keystate *ks, const uint8_t *nonce, size_t nonce_size, uint64_t block)
{
	uint32_t *const word = ks->u.word;

	word[12] = (uint32_t)block;
	word[13] = nonce_size == 12 ? cprng_load_le32(nonce) : (uint32_t)(block >> 32);
	word[14] = cprng_load_le32(nonce + nonce_size - 8);
	word[15] = cprng_load_le32(nonce + nonce_size - 4);
}

/*
 * RFC 8439, 2.3.  Sixteen variables, because gcc keeps an array in memory through all rounds, which took a seventh more time.
 * chacha_wipe_stack() erases those that are spilled.
 */
static CPRNG_NOINLINE CPRNG_NO_CANARY void block(const uint32_t input[16], unsigned int rounds, uint8_t out[64])
{
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define LOAD(i) uint32_t x##i = input[i];
#define STORE(i) cprng_store_le32(out + 4 * (i), x##i + input[i]);
	EACH(LOAD)

	for (; rounds != 0; rounds -= 2) {
		cprng_chacha_quarter(&x0, &x4, &x8, &x12);
		cprng_chacha_quarter(&x1, &x5, &x9, &x13);
		cprng_chacha_quarter(&x2, &x6, &x10, &x14);
		cprng_chacha_quarter(&x3, &x7, &x11, &x15);
		cprng_chacha_quarter(&x0, &x5, &x10, &x15);
		cprng_chacha_quarter(&x1, &x6, &x11, &x12);
		cprng_chacha_quarter(&x2, &x7, &x8, &x13);
		cprng_chacha_quarter(&x3, &x4, &x9, &x14);
	}
	EACH(STORE)
#undef EACH
#undef LOAD
#undef STORE
}

/* Frames of up to 272 bytes were seen (gcc 12 on eleven architectures and clang 19 on x86; -O1 to -O3, -Os). */
CPRNG_DEFINE_WIPE_STACK(chacha_wipe_stack, uint64_t, 48)

static CPRNG_NO_CANARY void chacha_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out,
					     size_t nblocks, unsigned int flags)
{
	uint32_t *const word = ks->u.word;

	(void)flags;
	for (; nblocks != 0; nblocks--) {
		block(word, rounds, out);
		out += 64;
		word[12]++;
		if (word[12] == 0)
			word[13]++;
	}
	chacha_wipe_stack();
}

static const struct cprng_backend chacha_backends[] = {
#if defined(__x86_64__)
#ifndef CPRNG_SMALL_STACK
	{ "avx512", CPRNG_CPU_AVX512, chacha_set_key, cprng_chacha_avx512 },
#endif
	{ "avx2", CPRNG_CPU_AVX2, chacha_set_key, cprng_chacha_avx2 },
	{ "ssse3", CPRNG_CPU_SSSE3, chacha_set_key, cprng_chacha_ssse3 },
	{ "sse2", 0, chacha_set_key, cprng_chacha_sse2 },
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	{ "neon", 0, chacha_set_key, cprng_chacha_neon },
#elif defined(__wasm_simd128__)
	{ "simd128", 0, chacha_set_key, cprng_chacha_simd128 },
#endif
	{ "portable", 0, chacha_set_key, chacha_keystream },
	{ NULL, 0, NULL, NULL },
};

CPRNG_CHECK_BACKENDS(chacha_backends);

const struct cprng_family cprng_family_chacha = { "chacha", chacha_backends, chacha_set_position };

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES in counter mode (NIST SP 800-38A, 6.5), the whole block being one big-endian counter.
 */
#include "engine/aesctr/aesctr.h"

#include "core/bytes.h"
#include "cpu/cpu.h"

/* nonce_size is 16: the engine's table accepts no other. */
static void aesctr_set_position(struct cprng_keystate *ks, const uint8_t *nonce, size_t nonce_size, uint64_t block)
{
	(void)nonce_size;
	ks->counter_hi = cprng_load_be64(nonce);
	ks->counter_lo = cprng_load_be64(nonce + 8);
	cprng_aesctr_advance(ks, block);
}

#define ROW(label, features, function) \
	{ label, features, cprng_aesctr_##function##_set_key, cprng_aesctr_##function##_keystream }

static const struct cprng_backend aesctr_backends[] = {
#if defined(__x86_64__)
	ROW("vaes512", CPRNG_CPU_AESNI | CPRNG_CPU_VAES | CPRNG_CPU_AVX512, vaes512),
	ROW("vaes256", CPRNG_CPU_AESNI | CPRNG_CPU_VAES | CPRNG_CPU_AVX2, vaes256),
	ROW("aesni", CPRNG_CPU_AESNI, aesni),
	ROW("avx2", CPRNG_CPU_AVX2, avx2),
	ROW("ssse3", CPRNG_CPU_SSSE3, ssse3),
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	ROW("armv8-aes", CPRNG_CPU_ARM_AES, armv8),
#endif
	ROW("portable", 0, portable),
	{ NULL, 0, NULL, NULL },
};

CPRNG_CHECK_BACKENDS(aesctr_backends);

const struct cprng_family cprng_family_aesctr = {
	.name = "aesctr",
	.backends = aesctr_backends,
	.set_position = aesctr_set_position,
};

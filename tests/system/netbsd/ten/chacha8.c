/* SPDX-License-Identifier: BSD-2-Clause */
/* NetBSD 10's ChaCha for x86, under another name than the library's file.  NetBSD 10 selects it when it starts. */
#include <sys/param.h>
#include <sys/systm.h>

#include <crypto/chacha/arch/x86/chacha_sse2.c>

#include "engine/engine.h"

/* As in NetBSD 10's chacha_sse2_impl.c; a rump kernel needs none (kernel/netbsd/cipher.c). */
#if defined(CPRNG_NETBSD_FPU)
#define SECTION(work) (fpu_kern_enter(), (work), fpu_kern_leave())
#else
#define SECTION(work) (work)
#endif

const uint8_t chacha_const32[16] = "expand 32-byte k";

void chacha_stream(uint8_t *restrict out, size_t len, uint32_t block, const uint8_t nonce[static 12],
		   const uint8_t key[static 32], unsigned int rounds)
{
	SECTION(chacha_stream_sse2(out, len, block, nonce, key, rounds));
}

void check_chacha8(void);

/* Compare with the library's ChaCha8, which has other tests. */
void check_chacha8(void)
{
	const struct cprng_engine *const engine = &cprng_engines[CPRNG_ENGINE_CHACHA8];
	const struct cprng_backend *const b = cprng_backend_find(engine, "sse2");
	static const uint8_t key[32] = "a key of 32 bytes for this test";
	static const uint8_t nonce[12] = { 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	static uint8_t expected[6 * 64], answer[6 * 64];
	struct cprng_keystate ks;

	if (b == NULL || cprng_engine_selftest(engine, b) != 0)
		panic("no ChaCha8 to compare with");
	b->set_key(&ks, key, sizeof(key));
	engine->family->set_position(&ks, nonce + 4, 8, 0);
	b->keystream(&ks, engine->rounds, expected, 6, 0);
	chacha_stream(answer, sizeof(answer), 0, nonce, key, 8);
	if (memcmp(expected, answer, sizeof(answer)) != 0)
		panic("chacha_stream() is not ChaCha8");
}

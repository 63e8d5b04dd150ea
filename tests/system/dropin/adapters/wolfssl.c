/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by wolfSSL. */
#include <cprng/adapters/wolfssl.h>

#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/wc_port.h>

#include "../subject.h"

static _Thread_local WC_RNG rng;
static _Thread_local int started;

__attribute__((constructor)) static void start(void)
{
	if (wolfCrypt_Init() != 0 || cprng_wolfssl_register() != 0)
		fail("wolfCrypt_Init");
}

static void draw(unsigned char *bytes, unsigned int len)
{
	if (!started && wc_InitRng_ex(&rng, NULL, CPRNG_WOLFSSL_DEVICE) != 0)
		fail("wc_InitRng_ex");
	started = 1;
	if (wc_RNG_GenerateBlock(&rng, bytes, len) != 0)
		fail("wc_RNG_GenerateBlock");
}

void call_each(void)
{
	unsigned char bytes[24], digest[WC_SHA256_DIGEST_SIZE];
	wc_Sha256 sha;

	draw(bytes, sizeof(bytes));
	print_bytes(bytes, sizeof(bytes));
	wc_FreeRng(&rng);
	/* wolfSSL handles other devices' requests. */
	if (wc_InitSha256_ex(&sha, NULL, CPRNG_WOLFSSL_DEVICE) != 0 ||
	    wc_Sha256Update(&sha, (const byte *)"abc", 3) != 0 || wc_Sha256Final(&sha, digest) != 0)
		fail("wc_Sha256Final");
	print_bytes(digest, 2);
	if (wolfCrypt_Cleanup() != 0)
		fail("wolfCrypt_Cleanup");
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	draw(value, VALUE);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by wolfSSL. */
#include <stdlib.h>

#include <cprng/adapters/wolfssl.h>

#include <wolfssl/wolfcrypt/wc_port.h>

#include "../subject.h"

static _Thread_local WC_RNG rng;
static _Thread_local int started;

__attribute__((constructor)) static void start(void)
{
	if (wolfCrypt_Init() != 0 || cprng_wolfssl_register() != 0)
		exit(4);
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	if (!started && wc_InitRng_ex(&rng, NULL, CPRNG_WOLFSSL_DEVICE) != 0)
		exit(4);
	started = 1;
	if (wc_RNG_GenerateBlock(&rng, value, VALUE) != 0)
		exit(4);
}

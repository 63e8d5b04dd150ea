/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by libsodium. */
#include <stdio.h>

#include <cprng/adapters/sodium.h>

#include "../subject.h"

__attribute__((constructor)) static void start(void)
{
	if (cprng_sodium_use() != 0 || sodium_init() < 0)
		fail("sodium_init");
}

void call_each(void)
{
	unsigned char key[crypto_secretbox_KEYBYTES];

	randombytes_stir();
	printf("%s\n", randombytes_implementation_name());
	printf("%08x\n", randombytes_random());
	printf("%08x\n", randombytes_uniform(3000000000U));
	crypto_secretbox_keygen(key);
	print_bytes(key, sizeof(key));
	if (randombytes_close() != 0)
		fail("randombytes_close");
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	randombytes_buf(value, VALUE);
}

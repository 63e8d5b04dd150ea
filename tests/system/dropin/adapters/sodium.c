/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/sodium.h>

int main(void)
{
	unsigned char key[crypto_secretbox_KEYBYTES];

	if (cprng_sodium_use() != 0 || sodium_init() < 0)
		return 1;
	randombytes_stir();
	printf("%s\n", randombytes_implementation_name());
	printf("%08x\n", randombytes_random());
	printf("%08x\n", randombytes_uniform(3000000000U));
	crypto_secretbox_keygen(key);
	for (size_t i = 0; i < sizeof(key); i++)
		printf("%02x", key[i]);
	printf("\n");
	return randombytes_close();
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/wolfssl.h>

#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/wc_port.h>

int main(void)
{
	unsigned char bytes[24], digest[WC_SHA256_DIGEST_SIZE];
	wc_Sha256 sha;
	WC_RNG rng;

	if (wolfCrypt_Init() != 0 || cprng_wolfssl_register() != 0 ||
	    wc_InitRng_ex(&rng, NULL, CPRNG_WOLFSSL_DEVICE) != 0 ||
	    wc_RNG_GenerateBlock(&rng, bytes, sizeof(bytes)) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		printf("%02x", bytes[i]);
	printf("\n");
	wc_FreeRng(&rng);
	/* wolfSSL handles other devices' requests. */
	if (wc_InitSha256_ex(&sha, NULL, CPRNG_WOLFSSL_DEVICE) != 0 ||
	    wc_Sha256Update(&sha, (const byte *)"abc", 3) != 0 || wc_Sha256Final(&sha, digest) != 0)
		return 2;
	printf("%02x%02x\n", digest[0], digest[1]);
	return wolfCrypt_Cleanup();
}

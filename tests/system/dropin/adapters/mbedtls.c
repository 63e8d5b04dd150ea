/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/mbedtls.h>

#include <mbedtls/bignum.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>

int main(void)
{
	mbedtls_ctr_drbg_context drbg;
	mbedtls_entropy_context entropy;
	mbedtls_entropy_f_source_ptr source = cprng_mbedtls_source;
	mbedtls_mpi number;
	unsigned char bytes[64];

	/* The generator. */
	mbedtls_mpi_init(&number);
	if (mbedtls_mpi_fill_random(&number, 8, cprng_mbedtls_random, NULL) != 0 ||
	    mbedtls_mpi_write_binary(&number, bytes, 8) != 0)
		return 1;
	for (int i = 0; i < 8; i++)
		printf("%02x", bytes[i]);
	printf("\n");
	mbedtls_mpi_free(&number);
	/* A seed. */
	mbedtls_ctr_drbg_init(&drbg);
	if (mbedtls_ctr_drbg_seed(&drbg, cprng_mbedtls_entropy, NULL, NULL, 0) != 0 ||
	    mbedtls_ctr_drbg_random(&drbg, bytes, 16) != 0)
		return 2;
	mbedtls_ctr_drbg_free(&drbg);
	/* One more source. */
	mbedtls_entropy_init(&entropy);
	if (mbedtls_entropy_add_source(&entropy, source, NULL, 32, MBEDTLS_ENTROPY_SOURCE_STRONG) != 0 ||
	    mbedtls_entropy_func(&entropy, bytes, 32) != 0)
		return 3;
	mbedtls_entropy_free(&entropy);
	return 0;
}

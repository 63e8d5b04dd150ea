/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by Mbed TLS. */
#include <cprng/adapters/mbedtls.h>

#include <mbedtls/bignum.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>

#include "../subject.h"

static void draw_number(unsigned char *bytes, size_t len)
{
	mbedtls_mpi number;

	mbedtls_mpi_init(&number);
	if (mbedtls_mpi_fill_random(&number, len, cprng_mbedtls_random, NULL) != 0 ||
	    mbedtls_mpi_write_binary(&number, bytes, len) != 0)
		fail("mbedtls_mpi_fill_random");
	mbedtls_mpi_free(&number);
}

void call_each(void)
{
	mbedtls_ctr_drbg_context drbg;
	mbedtls_entropy_context entropy;
	mbedtls_entropy_f_source_ptr source = cprng_mbedtls_source;
	unsigned char bytes[32];

	/* The generator. */
	draw_number(bytes, 8);
	print_bytes(bytes, 8);
	/* A seed. */
	mbedtls_ctr_drbg_init(&drbg);
	if (mbedtls_ctr_drbg_seed(&drbg, cprng_mbedtls_entropy, NULL, NULL, 0) != 0 ||
	    mbedtls_ctr_drbg_random(&drbg, bytes, 16) != 0)
		fail("mbedtls_ctr_drbg_seed");
	mbedtls_ctr_drbg_free(&drbg);
	/* One more source. */
	mbedtls_entropy_init(&entropy);
	if (mbedtls_entropy_add_source(&entropy, source, NULL, 32, MBEDTLS_ENTROPY_SOURCE_STRONG) != 0 ||
	    mbedtls_entropy_func(&entropy, bytes, 32) != 0)
		fail("mbedtls_entropy_add_source");
	mbedtls_entropy_free(&entropy);
}

void draw_value(unsigned char *value, unsigned int which)
{
	if (which % 2 != 0)
		draw_number(value, VALUE);
	else if (cprng_mbedtls_random(NULL, value, VALUE) != 0)
		fail("cprng_mbedtls_random");
}

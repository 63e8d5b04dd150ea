/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by Mbed TLS. */
#include <stdlib.h>

#include <cprng/adapters/mbedtls.h>

#include <mbedtls/bignum.h>

#include "../subject.h"

void draw_value(unsigned char *value, unsigned int which)
{
	mbedtls_mpi number;
	int error;

	if (which % 2 == 0) {
		error = cprng_mbedtls_random(NULL, value, VALUE);
	} else {
		mbedtls_mpi_init(&number);
		error = mbedtls_mpi_fill_random(&number, VALUE, cprng_mbedtls_random, NULL);
		if (error == 0)
			error = mbedtls_mpi_write_binary(&number, value, VALUE);
		mbedtls_mpi_free(&number);
	}
	if (error != 0)
		exit(4);
}

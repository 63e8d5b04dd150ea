/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by libsodium. */
#include <stdlib.h>

#include <cprng/adapters/sodium.h>

#include "../subject.h"

__attribute__((constructor)) static void start(void)
{
	if (cprng_sodium_use() != 0 || sodium_init() < 0)
		exit(4);
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	randombytes_buf(value, VALUE);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "shishua_avx2.h"

#include <shishua.h>
#include <stdlib.h>

void *lab_shishua_new(const uint64_t seed[4])
{
	prng_state *state = aligned_alloc(64, (sizeof(prng_state) + 63) / 64 * 64);
	uint64_t copy[4] = { seed[0], seed[1], seed[2], seed[3] };

	if (state != NULL)
		prng_init(state, copy);
	return state;
}

void lab_shishua_fill(void *state, unsigned char *out, size_t len)
{
	prng_gen(state, out, len);
}

// SPDX-License-Identifier: BSD-2-Clause
// Four lanes of AVX2: numbers come from a pool, 256 bytes straight from the generator.
#include <shishua.h>
#include <unistd.h>

#include "check.h"

static prng_state state;
static uint8_t pool[1024];
static size_t left;

static uint32_t number(void)
{
	uint32_t value;
	if (left == 0) {
		prng_gen(&state, pool, sizeof(pool));
		left = sizeof(pool);
	}
	memcpy(&value, pool + sizeof(pool) - left, sizeof(value));
	left -= sizeof(value);
	return value;
}

int main(void)
{
	uint64_t seed[4];
	if (getentropy(seed, sizeof(seed)) != 0)
		abort();
	prng_init(&state, seed);
	MEASURE("bits32", USE(number()))
	MEASURE("fill256", prng_gen(&state, buffer, sizeof(buffer)); USE(&buffer))
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// Blackman and Vigna's algorithm.  -DHALVES: a number is half a word, and the other half serves the next call.
#include "check.h"

#include <unistd.h>

struct generator {
	uint64_t s[4], kept;
	int has_kept;
};

static uint64_t rotated(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static uint64_t next(struct generator *g)
{
	uint64_t *s = g->s;
	const uint64_t result = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
	s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return result;
}

static uint32_t number(struct generator *g)
{
#ifdef HALVES
	g->has_kept = !g->has_kept;
	if (!g->has_kept)
		return (uint32_t)g->kept;
	g->kept = next(g);
	return (uint32_t)(g->kept >> 32);
#else
	return (uint32_t)(next(g) >> 32);
#endif
}

static void fill(struct generator *g)
{
	for (size_t i = 0; i < sizeof(buffer); i += 8) {
		const uint64_t word = next(g);
		memcpy(buffer + i, &word, sizeof(word));
	}
}

int main(void)
{
	struct generator *g = calloc(1, sizeof(*g));
	if (g == NULL || getentropy(g->s, sizeof(g->s)) != 0)
		abort();
	MEASURE("bits32", USE(number(g)))
	MEASURE("fill256", fill(g); USE(&buffer))
	free(g);
	return 0;
}

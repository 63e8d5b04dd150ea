// SPDX-License-Identifier: BSD-2-Clause
// Sixteen counter blocks, three AES rounds under three keys; output is erased from the pool.
#include "check.h"

#include <immintrin.h>
#include <unistd.h>

static struct {
	__m128i keys[3], counter;
} state;
static __m128i pool[16];
static size_t left, until_reseed;

__attribute__((noinline)) static void draw(unsigned char *to, size_t len)
{
	while (len != 0) {
		if (left == 0) {
			if (until_reseed-- == 0) {
				if (getentropy(&state, sizeof(state)) != 0)
					abort();
				until_reseed = 1023;
			}
			for (int i = 0; i < 16; i++) {
				pool[i] = state.counter;
				for (int k = 0; k < 3; k++)
					pool[i] = _mm_aesenc_si128(pool[i], state.keys[k]);
				state.counter = _mm_add_epi32(state.counter, _mm_set_epi32(7, 5, 3, 1));
			}
			left = sizeof(pool);
		}
		const size_t now = len < left ? len : left;
		memcpy(to, (unsigned char *)pool + sizeof(pool) - left, now);
		explicit_bzero((unsigned char *)pool + sizeof(pool) - left, now);
		to += now, len -= now, left -= now;
	}
}

static uint32_t number(void)
{
	uint32_t value;
	draw((unsigned char *)&value, sizeof(value));
	return value;
}

CHECK(number(), draw(buffer, sizeof(buffer)))

// SPDX-License-Identifier: BSD-2-Clause
// -DSTEP(bits)=...: an instruction of the CPU.
#include "check.h"

#include <immintrin.h>

static uint32_t number(void)
{
	uint32_t value;
	while (!STEP(32)(&value))
		_mm_pause();
	return value;
}

static void fill(void)
{
	for (size_t i = 0; i < sizeof(buffer); i += 8) {
		unsigned long long word;
		while (!STEP(64)(&word))
			_mm_pause();
		memcpy(buffer + i, &word, sizeof(word));
	}
}

CHECK(number(), fill())

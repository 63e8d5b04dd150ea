// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <immintrin.h>

static uint32_t number(void)
{
	uint32_t value;
	while (!_rdseed32_step(&value))
		_mm_pause();
	return value;
}

static void fill(void)
{
	for (size_t i = 0; i < sizeof(buffer); i += 8) {
		unsigned long long word;
		while (!_rdseed64_step(&word))
			_mm_pause();
		memcpy(buffer + i, &word, sizeof(word));
	}
}

CHECK(number(), fill())

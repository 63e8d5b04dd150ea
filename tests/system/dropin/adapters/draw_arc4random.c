/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by the names of arc4random(3). */
#include <string.h>

#include <cprng/adapters/arc4random.h>

#include "../subject.h"

void draw_value(unsigned char *value, unsigned int which)
{
	if (which % 2 == 0) {
		arc4random_buf(value, VALUE);
		return;
	}
	for (int i = 0; i < VALUE; i += 4) {
		uint32_t word = arc4random();

		memcpy(value + i, &word, sizeof(word));
	}
}

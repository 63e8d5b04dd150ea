/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by the names of arc4random(3). */
#include <stdio.h>
#include <string.h>

#include <cprng/adapters/arc4random.h>

#ifdef WITH_LIBBSD
/* Also included after it. */
#include <bsd/stdlib.h>
#endif

#include "../subject.h"

void call_each(void)
{
	static unsigned char data[70];
	unsigned char buf[8];
	uint32_t (*function)(void) = arc4random;

	data[0] = 1;
	data[32] = 2;
	data[64] = 3;
	printf("%08x\n", arc4random());
	printf("%08x\n", function());
	printf("%u\n", arc4random_uniform(600000));
	arc4random_buf(buf, sizeof(buf));
	print_bytes(buf, sizeof(buf));
	arc4random_stir();
	arc4random_addrandom(data, sizeof(data));
}

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

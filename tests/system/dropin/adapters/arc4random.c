/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/arc4random.h>

#ifdef WITH_LIBBSD
/* Also included after it. */
#include <bsd/stdlib.h>
#endif

int main(void)
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
	for (size_t i = 0; i < sizeof(buf); i++)
		printf("%02x", buf[i]);
	printf("\n");
	arc4random_stir();
	arc4random_addrandom(data, sizeof(data));
	return 0;
}

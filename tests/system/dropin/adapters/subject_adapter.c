/* SPDX-License-Identifier: BSD-2-Clause */
/* The additional functions of subject.h's program when it draws by an adapter. */
#include <stddef.h>
#include <stdio.h>

#include "../subject.h"

void prepare_thread(void)
{
}

void print_bytes(const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

const struct mode other_modes[] = {
	{ "calls", call_each },
	{ NULL, NULL },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the library: reports each call on standard error, and returns bytes that count up from 1. */
#include <cprng/cprng.h>

#include <stdio.h>

/* Each starts at 1, because the bytes that a library requests for its seed differ between its versions. */
static unsigned char next = 1, next_strong = 1;

static void count_up(const char *name, unsigned char *next_byte, void *buf, size_t len)
{
	unsigned char *bytes = buf;

	fprintf(stderr, "%s %zu\n", name, len);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (*next_byte)++;
}

void cprng_fast(void *buf, size_t len)
{
	count_up("fast", &next, buf, len);
}

void cprng_strong(void *buf, size_t len)
{
	count_up("strong", &next_strong, buf, len);
}

uint32_t cprng_fast32(void)
{
	fprintf(stderr, "fast32\n");
	return next++;
}

uint64_t cprng_fast64(void)
{
	fprintf(stderr, "fast64\n");
	return next++;
}

uint32_t cprng_uniform32(uint32_t bound)
{
	fprintf(stderr, "uniform32 %u\n", bound);
	return next++;
}

double cprng_double(void)
{
	fprintf(stderr, "double\n");
	return 1.0 / next++;
}

int cprng_add_entropy(unsigned int source, const void *buf, size_t len, unsigned int entropy_bits)
{
	fprintf(stderr, "add %u %zu %u %u\n", source, len, entropy_bits, *(const unsigned char *)buf);
	return CPRNG_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check: reads "bits normal exponential" from each line of standard input and checks that the functions of src/numbers
 * derive these numbers, and arrays of doubles, from the bits, in single calls and as arrays.  Compiled by tests/unit/numbers/run.
 */
#include "cpu/cpu.h"
#include "numbers/numbers.h"

#include <stdio.h>

enum { COPIES = 37 }; /* more than wait in a tail (numbers/fills.h), and a remainder */

static void put(uint8_t *place, unsigned long long bits)
{
	for (int i = 0; i < 8 * COPIES; i++)
		place[i] = (uint8_t)(bits >> 8 * (i % 8));
}

static int differ(const uint8_t *place, double wanted)
{
	double numbers[COPIES];
	int wrong = 0;

	memcpy(numbers, place, sizeof(numbers));
	for (int i = 0; i < COPIES; i++)
		wrong += numbers[i] != wanted;
	return wrong;
}

int main(void)
{
	unsigned long long bits;
	double normal, exponential;
	uint8_t place[8 * COPIES];
	int lines = 0, wrong = 0;

	while (scanf("%llu %la %la", &bits, &normal, &exponential) == 3) {
		lines++;
		wrong += cprng_number_normal(bits, 0, 1) != normal;
		wrong += cprng_number_exponential(bits, 1) != exponential;
		for (const struct cprng_numbers_backend *b = cprng_numbers_backends; b->name != NULL; b++) {
			if ((b->needs & ~cprng_cpu_features()) != 0)
				continue;
			put(place, bits);
			b->doubles(place, COPIES);
			wrong += differ(place, (double)(bits >> 11) * 0x1p-53);
			put(place, bits);
			b->normals(place, COPIES, 0, 1);
			wrong += differ(place, normal);
			put(place, bits);
			b->exponentials(place, COPIES, 1);
			wrong += differ(place, exponential);
		}
	}
	printf("%d lines, %d wrong\n", lines, wrong);
	return lines == 0 || wrong != 0;
}

unsigned long cprng_port_hwcap(unsigned int word)
{
	(void)word;
	return 0;
}

bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}

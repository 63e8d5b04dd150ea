/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * testu01 small|crush|big: feeds 32-bit numbers from standard input to a battery of TestU01 (P. L'Ecuyer and R. Simard,
 * doi:10.1145/1268776.1268777), which prints its findings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <TestU01.h>

static unsigned int next_number(void)
{
	static uint32_t numbers[16384];
	static size_t at, got;

	if (at == got) {
		at = 0;
		got = fread(numbers, sizeof(numbers[0]), sizeof(numbers) / sizeof(numbers[0]), stdin);
		if (got == 0) {
			fprintf(stderr, "testu01: standard input has ended\n");
			exit(1);
		}
	}
	return numbers[at++];
}

int main(int argc, char **argv)
{
	static char name[] = "standard input";
	unif01_Gen *generator = unif01_CreateExternGenBits(name, next_number);

	swrite_Basic = FALSE;
	if (argc == 2 && strcmp(argv[1], "small") == 0)
		bbattery_SmallCrush(generator);
	else if (argc == 2 && strcmp(argv[1], "crush") == 0)
		bbattery_Crush(generator);
	else if (argc == 2 && strcmp(argv[1], "big") == 0)
		bbattery_BigCrush(generator);
	else
		return 2;
	unif01_DeleteExternGenBits(generator);
	return 0;
}

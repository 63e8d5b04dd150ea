/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * duplicates FILE...: 64-bit words that occur more than once in all files together, and zeros; and repeated halves of
 * words that are far more frequent than by chance, as where draws overlap.  Exit status 1 if there are any.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t *words;
static size_t count, room;

static void read_all(const char *name)
{
	FILE *file = fopen(name, "rb");
	size_t n;

	if (file == NULL) {
		perror(name);
		exit(2);
	}
	do {
		if (room - count < 4096) {
			room = 2 * room + 65536;
			words = realloc(words, room * sizeof(*words));
			if (words == NULL)
				abort();
		}
		n = fread(words + count, sizeof(*words), 4096, file);
		count += n;
	} while (n != 0);
	if (ferror(file) || fclose(file) != 0) {
		perror(name);
		exit(2);
	}
}

static int compare_halves(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The expected number of such pairs; its root is the standard deviation. */
static int halves_are_bad(void)
{
	const size_t n = 2 * count;
	const double mean = (double)n * (double)n / 2 / 4294967296.0;
	uint32_t *half = malloc(n * sizeof(*half));
	size_t pairs = 0;
	double more;

	if (half == NULL)
		abort();
	for (size_t i = 0; i < n; i++)
		half[i] = (uint32_t)(words[i / 2] >> (i % 2 * 32));
	qsort(half, n, sizeof(*half), compare_halves);
	for (size_t i = 1; i < n; i++)
		pairs += half[i] == half[i - 1];
	free(half);
	printf("%zu pairs of halves, %.0f by accident\n", pairs, mean);
	more = (double)pairs - mean - 8;
	return more > 0 && more * more > 64 * mean;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t bad = 0;
	int halves;

	for (int i = 1; i < argc; i++)
		read_all(argv[i]);
	qsort(words, count, sizeof(*words), compare);
	for (size_t i = 0; i < count; i++)
		bad += words[i] == 0 || (i != 0 && words[i] == words[i - 1]);
	printf("%zu words, %zu bad\n", count, bad);
	halves = count != 0 && halves_are_bad();
	free(words);
	return bad != 0 || halves || count == 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* duplicates FILE...: words of 64 bits that are there more than once in all of them together, and zeros; 1 if any. */
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

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t bad = 0;

	for (int i = 1; i < argc; i++)
		read_all(argv[i]);
	qsort(words, count, sizeof(*words), compare);
	for (size_t i = 0; i < count; i++)
		bad += words[i] == 0 || (i != 0 && words[i] == words[i - 1]);
	printf("%zu words, %zu bad\n", count, bad);
	free(words);
	return bad != 0 || count == 0;
}

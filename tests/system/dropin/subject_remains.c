/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches the process's memory for served bytes. */
#include "subject.h"

#include <stdio.h>

enum { SECRETS = 64 };

/* As masked copies, so that the search does not find them. */
static unsigned char masked[SECRETS][VALUE];
/* Indexed by two bytes: whether a masked secret begins with them, which excludes most places. */
static unsigned char begins[1 << 16];

static int begins_a_secret(const unsigned char *p)
{
	if (!begins[(p[0] ^ 0x5a) << 8 | (p[1] ^ 0x5a)])
		return 0;
	for (int i = 0; i < SECRETS; i++) {
		int same = 0;

		while (same < 8 && (p[same] ^ 0x5a) == masked[i][same])
			same++;
		if (same == 8)
			return 1;
	}
	return 0;
}

/* Search all readable memory for the first 8 bytes of each secret; print how many were found. */
void remains(void)
{
	static unsigned char secret[VALUE];
	char line[512];
	size_t found = 0, searched = 0;
	FILE *maps;

	for (int i = 0; i < SECRETS; i++) {
		draw_value(secret, (unsigned int)i % 3);
		for (int j = 0; j < VALUE; j++)
			masked[i][j] = secret[j] ^ 0x5a;
		begins[masked[i][0] << 8 | masked[i][1]] = 1;
	}
	/* The last one stays on purpose, to confirm the search. */
	maps = fopen("/proc/self/maps", "r");
	if (maps == NULL)
		fail("/proc/self/maps");
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long begin, end;
		char rights[5];

		if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[0] != 'r' || rights[1] != 'w')
			continue;
		for (const unsigned char *p = (const unsigned char *)begin; p + 8 <= (const unsigned char *)end; p++) {
			if (begins_a_secret(p)) {
				found++;
				fprintf(stderr, "at %p of %s", (const void *)p, line);
			}
		}
		searched += end - begin;
	}
	printf("%zu found in %s\n", found, searched > 100000 ? "all memory" : "too little memory");
}

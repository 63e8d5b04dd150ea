/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/os.h"

/* Write the decimal digits of value so that they stop before end; return their start.  printf(3) is not async-signal-safe. */
static char *digits(char *end, unsigned long value)
{
	do
		*--end = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	return end;
}

static size_t append(char *line, size_t used, size_t room, const char *text, size_t len)
{
	for (size_t i = 0; i < len && used < room; i++)
		line[used++] = text[i];
	return used;
}

void cprng_os_die(const char *what, long error)
{
	char line[160], number[24], *const end = number + sizeof(number), *first;
	const size_t room = sizeof(line) - 1;
	size_t used = append(line, 0, room, "cprng: ", 7);

	used = append(line, used, room, what, strlen(what));
	if (error < 0) {
		first = digits(end, (unsigned long)-error);
		used = append(line, used, room, ": error ", 8);
		used = append(line, used, room, first, (size_t)(end - first));
	}
	line[used++] = '\n';
	cprng_os_end(line, used);
}

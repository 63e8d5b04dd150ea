/* SPDX-License-Identifier: BSD-2-Clause */
#include "libc.h"

#include <stdio.h>
#include <string.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>

void lab_libc(char *text, size_t size)
{
	snprintf(text, size, "glibc %s", gnu_get_libc_version());
}
#else

/* The loader's file, which is also musl's C library: "/lib/ld-musl-x86_64.so.1". */
static int find_musl(char *path, size_t size)
{
	char line[4096];
	int found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
		const char *begin = strchr(line, '/');

		/* A dynamic program.  On Debian the interpreter's path leads to musl's libc.so. */
		found = begin != NULL && (strstr(begin, "/ld-musl") != NULL || strstr(begin, "/libc.so") != NULL);
		if (found)
			snprintf(path, size, "%.*s", (int)strcspn(begin, "\n"), begin);
	}
	if (maps != NULL)
		fclose(maps);
	return found && strpbrk(path, "'\\") == NULL;
}

void lab_libc(char *text, size_t size)
{
	char path[1024], command[1100], line[256], version[64] = "";
	FILE *out = NULL;

	snprintf(text, size, "unknown, and not glibc");
	if (find_musl(path, sizeof(path))) {
		snprintf(command, sizeof(command), "'%s' 2>&1", path);
		out = popen(command, "r");
	}
	while (out != NULL && fgets(line, sizeof(line), out) != NULL)
		if (sscanf(line, "Version %63s", version) == 1)
			snprintf(text, size, "musl %s", version);
	if (out != NULL)
		pclose(out);
}
#endif

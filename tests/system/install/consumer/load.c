/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load PLUGIN: load it, draw, and unload it, 200 times.  Exit status 0 if the process then has as many mappings and as
 * much locked memory as after the first time.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 20];

static void read_whole(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	while (len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	close(fd);
}

struct figures {
	long mappings;
	long locked; /* KiB */
};

static struct figures figures(void)
{
	struct figures f = { 0, 0 };
	const char *field;

	read_whole("/proc/self/maps");
	for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
		f.mappings++;
	read_whole("/proc/self/status");
	field = strstr(text, "VmLck:");
	if (field == NULL) {
		fprintf(stderr, "/proc/self/status does not tell VmLck\n");
		exit(1);
	}
	f.locked = strtol(field + strlen("VmLck:"), NULL, 10);
	return f;
}

static void load(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uint64_t (*draw)(void);
	void *symbol;

	if (plugin == NULL || (symbol = dlsym(plugin, "plugin_draw")) == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	memcpy(&draw, &symbol, sizeof(draw)); /* ISO C lacks this conversion */
	if (draw() == draw()) {
		fprintf(stderr, "not random\n");
		exit(1);
	}
	dlclose(plugin);
}

int main(int argc, char **argv)
{
	struct figures first, last;

	if (argc != 2)
		return 1;
	load(argv[1]);
	first = figures();
	for (int i = 0; i < 200; i++)
		load(argv[1]);
	last = figures();
	if (first.mappings == last.mappings && first.locked == last.locked)
		return 0;
	fprintf(stderr, "%ld mappings with %ld KiB locked after the first load, %ld with %ld KiB after the last\n",
		first.mappings, first.locked, last.mappings, last.locked);
	return 1;
}

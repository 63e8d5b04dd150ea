/* SPDX-License-Identifier: BSD-2-Clause */
/* calls FUNCTION SIZE SECONDS: nanoseconds of a call, the least of 16 parts of that time.  For lab/dropins/measure. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <openssl/rand.h>

void arc4random_buf(void *buf, size_t len);

static unsigned char buffer[1 << 20];
static size_t size;
static int device;

static int call_getrandom(void)
{
	return getrandom(buffer, size, 0) == (ssize_t)size;
}

static int call_getentropy(void)
{
	return getentropy(buffer, size) == 0;
}

static int call_arc4random_buf(void)
{
	arc4random_buf(buffer, size);
	return 1;
}

static int call_read(void)
{
	return read(device, buffer, size) == (ssize_t)size;
}

static int call_rand_bytes(void)
{
	return RAND_bytes(buffer, (int)size) == 1;
}

static int call_rand_priv_bytes(void)
{
	return RAND_priv_bytes(buffer, (int)size) == 1;
}

static const struct {
	const char *name;
	int (*call)(void);
} functions[] = {
	{ "getrandom", call_getrandom }, { "getentropy", call_getentropy }, { "arc4random_buf", call_arc4random_buf },
	{ "read", call_read },           { "RAND_bytes", call_rand_bytes }, { "RAND_priv_bytes", call_rand_priv_bytes },
};

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double time_of(int (*call)(void), size_t calls)
{
	const double begin = now();

	for (size_t i = 0; i < calls; i++) {
		if (!call()) {
			perror("a call failed");
			exit(1);
		}
	}
	return now() - begin;
}

int main(int argc, char **argv)
{
	enum { PARTS = 16 };
	int (*call)(void) = NULL;
	double seconds, least = 1e9;
	size_t calls = 1;

	for (size_t i = 0; argc == 4 && i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(argv[1], functions[i].name) == 0)
			call = functions[i].call;
	}
	if (call == NULL)
		return 2;
	size = strtoul(argv[2], NULL, 10);
	seconds = strtod(argv[3], NULL);
	if (size > sizeof(buffer))
		return 2;
	device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	/* As many calls as a part of the time holds. */
	while (time_of(call, calls) < seconds / PARTS / 2)
		calls *= 2;
	for (int i = 0; i < PARTS; i++) {
		const double elapsed = time_of(call, calls) / (double)calls;

		least = elapsed < least ? elapsed : least;
	}
	printf("%.2f\n", least * 1e9);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* subject MODE */
#include "subject.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, DRAWS = 200000, STACK = 1 << 18 };

static pthread_barrier_t all_there;

void fail(const char *what)
{
	perror(what);
	exit(2);
}

void print_value(const unsigned char *value)
{
	char line[2 * VALUE + 2];

	for (int i = 0; i < VALUE; i++)
		(void)snprintf(line + 2 * i, 3, "%02x", value[i]);
	line[2 * VALUE] = '\n';
	if (write(STDOUT_FILENO, line, 2 * VALUE + 1) != 2 * VALUE + 1)
		fail("write");
}

static void draw_some(void)
{
	unsigned char value[VALUE];

	for (unsigned int i = 0; i < 200; i++) {
		draw_value(value, i);
		print_value(value);
	}
}

/* Parent, child and grandchild. */
void undrawn_forks(void)
{
	for (int depth = 0; depth < 3; depth++) {
		pid_t child = fork();

		if (child < 0)
			fail("fork");
		draw_some();
		if (child > 0) {
			int status;

			if (waitpid(child, &status, 0) != child || status != 0)
				exit(3);
			exit(0);
		}
	}
	exit(0);
}

/* The same, each beginning with the others' buffers. */
void forks(void)
{
	draw_some();
	undrawn_forks();
}

/*
 * Draw a little, and continue in two copies of the process: fork is that of tests/system/dropin/copied.c.  The child writes its
 * values first, and then the parent.
 */
void (*in_each_copy)(void);

void copies(void)
{
	/* More than the requests after which generators of OpenSSL that have a parent reseed (2^16). */
	enum { COUNT = 70000 };
	static unsigned char value[COUNT][VALUE];
	pid_t child;
	int status = 0;

	draw_value(value[0], 0);
	child = fork();
	if (child < 0)
		fail("fork");
	if (in_each_copy != NULL)
		in_each_copy();
	for (int i = 0; i < COUNT; i++)
		draw_value(value[i], 0);
	if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
		exit(3);
	for (size_t done = 0; done < sizeof(value);) {
		const ssize_t n = write(STDOUT_FILENO, value[0] + done, sizeof(value) - done);

		if (n <= 0)
			fail("write");
		done += (size_t)n;
	}
	_exit(0);
}

/* The process may open no file after its first draw. */
void without_files(void)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_NOFILE, &none) != 0)
		fail("setrlimit");
	if (open("/dev/null", O_RDONLY) != -1)
		fail("a file could be opened");
	forks();
}

static void *draw_many(void *log)
{
	unsigned char(*value)[VALUE] = log;

	(void)pthread_barrier_wait(&all_there);
	for (unsigned int i = 0; i < DRAWS; i++)
		draw_value(value[i], i);
	return NULL;
}

/*
 * A distance between stacks at which threads map to one slot: the library distributes them by the address of errno, multiplied by
 * 2^64 / golden ratio (src/process/placement/slots.c).  On machines with many CPUs most threads have their own slot.
 */
static size_t distance_in_one_slot(void)
{
	size_t distance = STACK;

	while (distance * UINT64_C(0x9e3779b97f4a7c15) > UINT64_MAX / 100000)
		distance += 4096;
	return distance;
}

void threads(void)
{
	static unsigned char log[THREADS][DRAWS][VALUE];
	const size_t distance = distance_in_one_slot();
	char *stacks = mmap(NULL, THREADS * distance, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_t thread[THREADS];

	if (stacks == MAP_FAILED)
		fail("mmap");
	(void)pthread_barrier_init(&all_there, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		pthread_attr_t attributes;

		(void)pthread_attr_init(&attributes);
		if (pthread_attr_setstack(&attributes, stacks + (size_t)i * distance, STACK) != 0 ||
		    pthread_create(&thread[i], &attributes, draw_many, log[i]) != 0)
			fail("pthread_create");
	}
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	if (fwrite(log, sizeof(log), 1, stdout) != 1)
		fail("fwrite");
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "forks", forks },     { "undrawn-forks", undrawn_forks }, { "without-files", without_files },
		{ "threads", threads }, { "shared-memory", shared_memory }, { "remains", remains },
		{ "refused", refused }, { "sandboxed", sandboxed },         { "copies", copies },
		{ NULL, NULL },
	};
	const struct mode *const lists[] = { modes, other_modes };

	for (size_t i = 0; argc == 2 && i < 2; i++) {
		for (const struct mode *mode = lists[i]; mode->name != NULL; mode++) {
			if (strcmp(argv[1], mode->name) == 0) {
				mode->run();
				return 0;
			}
		}
	}
	return 2;
}

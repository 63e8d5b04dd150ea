/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads the shared library after threads have started, and draws in these threads and in new ones.  Arguments: the library's
 * file and the expected placement.
 */
#include "../../support/plain_checks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

/* A repeat among 90000 values by chance: (9 * 10^4)^2 / 2^65 = 2 * 10^-10. */
enum { THREADS = 3, EACH = 30000 };

static uint64_t drawn[THREADS * EACH];
static uint64_t (*draw)(unsigned int bytes);
static sem_t loaded;

static void *run(void *values)
{
	require(sem_wait(&loaded) == 0, "no wait");
	for (int i = 0; i < EACH; i++)
		((uint64_t *)values)[i] = draw(sizeof(uint64_t));
	require(sem_post(&loaded) == 0, "no post");
	return NULL;
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	pthread_t thread[2];
	void (*get_info)(struct cprng_info *, size_t);
	void *library;

	require(argc == 3, "two arguments");
	require(sem_init(&loaded, 0, 0) == 0, "no semaphore");
	require(pthread_create(&thread[0], NULL, run, drawn) == 0, "no thread");
	library = dlopen(argv[1], RTLD_NOW);
	require(library != NULL, "not loaded");
	*(void **)&draw = dlsym(library, "cprng_draw_slow_1");
	*(void **)&get_info = dlsym(library, "cprng_get_info");
	require(draw != NULL && get_info != NULL, "no functions");
	get_info(&info, sizeof(info));
	require(strcmp(info.placement, argv[2]) == 0, "the placement is another one");
	require(sem_post(&loaded) == 0 && sem_post(&loaded) == 0, "no post");
	require(pthread_create(&thread[1], NULL, run, drawn + EACH) == 0, "no thread");
	for (int i = 0; i < EACH; i++)
		drawn[2 * EACH + i] = draw(sizeof(uint64_t));
	for (int i = 0; i < 2; i++)
		require(pthread_join(thread[i], NULL) == 0, "a thread is lost");
	require_distinct(drawn, THREADS * EACH);
	return 0;
}

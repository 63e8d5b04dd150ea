/* SPDX-License-Identifier: BSD-2-Clause */
/* Children in their parent's memory. */
#define _GNU_SOURCE
#include "subject.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60, OF_CHILD = 1500, OF_THREADS = 150000, THREADS = 2 };

static unsigned char (*of_child)[VALUE], (*of_thread[THREADS])[VALUE];
static size_t drawn_by_thread[THREADS], drawn_by_child;
static int stop;

static void *draw_until_stopped(void *number)
{
	const size_t me = (size_t)number;
	size_t n = 0;

	while (n < OF_THREADS && !__atomic_load_n(&stop, __ATOMIC_RELAXED))
		draw_value(of_thread[me][n++], 0);
	drawn_by_thread[me] = n;
	return NULL;
}

static int child(void *nothing)
{
	(void)nothing;
	for (int i = 0; i < OF_CHILD; i++)
		draw_value(of_child[drawn_by_child++], 0);
	return 0;
}

/* Without vfork's wait: the parent's thread and the child draw concurrently, with the same thread-local memory. */
static void clone_in_same_memory(void)
{
	static char stack[1 << 16] __attribute__((aligned(64)));
	unsigned char value[VALUE];
	int status;
	pid_t pid = clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (pid < 0)
		fail("clone");
	for (int i = 0; i < OF_CHILD; i++) {
		draw_value(value, 0);
		print_value(value);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(3);
}

static void *log_of(size_t values)
{
	void *p = mmap(NULL, values * VALUE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}

void shared_memory(void)
{
	pthread_t thread[THREADS];

	of_child = log_of((size_t)(ROUNDS + 10) * OF_CHILD);
	for (size_t i = 0; i < THREADS; i++) {
		of_thread[i] = log_of(OF_THREADS);
		if (pthread_create(&thread[i], NULL, draw_until_stopped, (void *)i) != 0)
			fail("pthread_create");
	}
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pid = vfork();

		if (pid == 0) {
			(void)child(NULL);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			fail("vfork");
	}
	for (int round = 0; round < 10; round++)
		clone_in_same_memory();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	for (size_t i = 0; i < drawn_by_child; i++)
		print_value(of_child[i]);
	for (size_t t = 0; t < THREADS; t++) {
		for (size_t i = 0; i < drawn_by_thread[t]; i++)
			print_value(of_thread[t][i]);
	}
}

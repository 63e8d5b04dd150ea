/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX /* sets of signals in mingw-w64's headers; it has neither sigfillset() nor signals that interrupt a thread */
#include "parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The CPUs that the process may use. */
static size_t count_cpus(void)
{
#ifdef CPU_COUNT
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (size_t)CPU_COUNT(&cpus) : 1;
#elif defined(_SC_NPROCESSORS_ONLN)
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus > 0 ? (size_t)cpus : 1;
#else
	return (size_t)pthread_num_processors_np(); /* of mingw-w64 */
#endif
}

enum {
	/*
	 * With fewer bytes for each, two threads are no faster than one: a thread takes time to start
	 * (docs/decisions/0024-python.md).
	 */
	BYTES_WORTH_A_THREAD = 512 * 1024,
	/* If the array begins at a cache line, so does each part. */
	ELEMENTS_APART = 64,
};

size_t parts_for(size_t bytes, ssize_t wanted)
{
	size_t parts = bytes / BYTES_WORTH_A_THREAD, cpus;

	if (wanted > 0)
		return wanted < PARTS_MAX ? (size_t)wanted : PARTS_MAX;
	if (parts < 2)
		return 1;
	cpus = count_cpus();
	if (parts > cpus)
		parts = cpus;
	return parts < PARTS_MAX ? parts : PARTS_MAX;
}

struct run {
	part_work *work;
	void *job;
	struct part *part;
	int error;
	bool started;
	pthread_t thread;
};

static void *run(void *argument)
{
	struct run *r = argument;

	r->error = r->work(r->job, r->part);
	return NULL;
}

/* Start threads with all signals blocked: handlers run in the program's own threads. */
static void start(struct run *runs, size_t count)
{
	sigset_t all, before;

	memset(&all, 0xff, sizeof(all));
	memset(&before, 0, sizeof(before));
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < count; i++)
		runs[i].started = pthread_create(&runs[i].thread, NULL, run, &runs[i]) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void divide(struct part *parts, size_t count, size_t n)
{
	const size_t each = (count / n + ELEMENTS_APART - 1) / ELEMENTS_APART * ELEMENTS_APART;

	for (size_t i = 0; i < n; i++) {
		parts[i].begin = i * each < count ? i * each : count;
		parts[i].end = i + 1 < n && (i + 1) * each < count ? (i + 1) * each : count;
		parts[i].result = 0;
	}
}

int run_parts(part_work *work, void *job, struct part *done, size_t count, size_t n)
{
	struct part own[PARTS_MAX];
	struct run runs[PARTS_MAX];
	int error = 0;

	if (done == NULL)
		done = own;
	if (n < 1)
		n = 1;
	divide(done, count, n);
	for (size_t i = 0; i < n; i++)
		runs[i] = (struct run){ .work = work, .job = job, .part = &done[i] };
	start(runs, n - 1);
	for (size_t i = n; i-- > 0;)
		if (!runs[i].started)
			run(&runs[i]);
	for (size_t i = 0; i < n; i++) {
		if (runs[i].started)
			pthread_join(runs[i].thread, NULL);
		if (error == 0)
			error = runs[i].error;
	}
	return error;
}

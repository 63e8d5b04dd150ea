/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench rate SECONDS READERS SIZE: MB/s of each thread that reads SIZE bytes at a time.
 * bench harvest SECONDS READERS SIZE: the same, and the harvest thread's share of a CPU that it has for itself.
 * bench wait SECONDS SIZE: microseconds that a read of 32 bytes takes while two readers read SIZE bytes.
 *
 * The harvest thread does what FreeBSD's rand_harvestq does while one fast source is present and readers are busy: ten times a
 * second it delivers eight rounds of 32 events of the source, and 64 events of the queue.
 */
#include "slot.h"

#include <sched.h>

enum {
	EVENTS = 8 * 32 + 64,
	READERS_MOST = 16,
	WAITS_MOST = 1 << 20,
	WAITS_LEAST = 100 /* one is beyond the 99th percentile */
};

void randomdev_unblock(void)
{
}

static uint32_t stop;
static unsigned int harvests;
static size_t size;
static bool is_apart;

/* The first CPU is the harvest thread's, as it was where FreeBSD's change was measured: three readers and four CPUs. */
static void stay_apart(bool is_harvest)
{
	cpu_set_t all, mine;
	int first = 0;

	if (!is_apart)
		return;
	demand(sched_getaffinity(0, sizeof(all), &all) == 0 && CPU_COUNT(&all) > 1);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&mine);
	CPU_SET(first, &mine);
	if (!is_harvest)
		CPU_XOR(&mine, &mine, &all);
	demand(sched_setaffinity(0, sizeof(mine), &mine) == 0);
}

static bool is_over(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED) != 0;
}

static void *harvest(void *arg)
{
	double *const share = arg;
	const double begin = seconds(CLOCK_MONOTONIC), begin_cpu = seconds(CLOCK_THREAD_CPUTIME_ID);

	stay_apart(true);
	for (; !is_over(); harvests++) {
		for (unsigned int i = 0; i < EVENTS; i++)
			deliver(i % 12, i);
		pause_us(100000);
	}
	*share = (seconds(CLOCK_THREAD_CPUTIME_ID) - begin_cpu) / (seconds(CLOCK_MONOTONIC) - begin);
	return NULL;
}

static void *read_all(void *arg)
{
	uint64_t *const bytes = arg;
	uint8_t *const buf = malloc(size);

	demand(buf != NULL);
	stay_apart(false);
	memset(buf, 1, size);
	while (!is_over()) {
		read_random_uio_of(buf, size);
		*bytes += size;
	}
	free(buf);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static double waits[WAITS_MOST];
	pthread_t harvester, threads[READERS_MOST];
	uint64_t bytes[READERS_MOST] = { 0 }, sum = 0;
	unsigned int readers = 2;
	size_t count = 0;
	double share = 0, begin, end;
	bool is_wait;

	demand(argc > 3);
	is_wait = strcmp(argv[1], "wait") == 0;
	is_apart = strcmp(argv[1], "harvest") == 0;
	if (!is_wait)
		readers = (unsigned int)atoi(argv[3]);
	size = (size_t)atol(argv[argc - 1]);
	demand(readers <= READERS_MOST && size != 0);
	for (unsigned int i = 0; i < 8 * 32; i++)
		deliver(RANDOM_CACHED, i);
	demand(is_seeded());
	demand(pthread_create(&harvester, NULL, harvest, &share) == 0);
	for (unsigned int i = 0; i < readers; i++)
		demand(pthread_create(&threads[i], NULL, read_all, &bytes[i]) == 0);
	begin = seconds(CLOCK_MONOTONIC);
	while ((end = seconds(CLOCK_MONOTONIC)) - begin < atof(argv[2])) {
		uint8_t few[32];

		if (is_wait && count < WAITS_MOST) {
			read_random_uio_of(few, sizeof(few));
			waits[count++] = (seconds(CLOCK_MONOTONIC) - end) * 1e6;
		}
		pause_us(500);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < readers; i++) {
		pthread_join(threads[i], NULL);
		demand(bytes[i] != 0);
		sum += bytes[i];
	}
	/* Until the last reader has ended: the sum includes the reads that were in progress. */
	end = seconds(CLOCK_MONOTONIC);
	pthread_join(harvester, NULL);
	demand(harvests != 0);
	if (is_wait) {
		demand(count >= WAITS_LEAST);
		qsort(waits, count, sizeof(waits[0]), compare);
		printf("reads %zu median %.2f p99 %.2f most %.2f\n", count, waits[count / 2], waits[count * 99 / 100],
		       waits[count - 1]);
	} else {
		printf("rate %.2f harvest %.5f spins %u sleeps %u\n", (double)sum / (end - begin) / readers * 1e-6,
		       share, freebsd_spins, freebsd_sleeps);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench [VARIANT]: one round of each measurement, as lines "NAME VALUE".
 *
 * fast32, fast64   ns per number
 * cycles           time stamp counter cycles per byte of fast32
 * bulk             GB/s, requests of 64 KiB
 * urandom          GB/s, reads of 4 KiB from /dev/urandom
 * arandom1         s for 4 GB from kern.arandom in requests of 256 bytes
 * arandom4, cpu4   s for 16 GB by four threads, scaled from CALLS of each: wall time, CPU time
 *
 * inlined          a variant of origin.cpp: fast32 and cycles of a loop in the kernel, where cprng_fast32() is inlined
 * strong           a variant of ten/glue.c: only kern.arandom, by NetBSD 10's function
 *
 * All except the last two are medians of slices of less than a millisecond, which other programs rarely interrupt.
 */
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <x86intrin.h>

#include "netbsd.h"

enum {
	SLICES = 101,
	NUMBERS = 10000,
	BULK = 65536,
	BULKS = 4,
	REQUESTS = 200,
	CALLS = 1 << 12,
	REQUEST = 256,
	READ = 4096,
	READS = 16
};

/* Only some kernels have these. */
uint64_t rumpns_cprng_fast32_sum(size_t count) __attribute__((weak));
void rumpns_begin_ten(void) __attribute__((weak));
void rumpns_check_chacha8(void) __attribute__((weak));

static volatile uint64_t sink;

static double time_of(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
	return time_of(CLOCK_MONOTONIC);
}

static double cpu_time(void)
{
	return time_of(CLOCK_PROCESS_CPUTIME_ID);
}

static double counter(void)
{
	return (double)__rdtsc();
}

static void draw32(void)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		sum += rumpns_cprng_fast32();
	sink = sum;
}

static void draw32_inlined(void)
{
	sink = rumpns_cprng_fast32_sum(NUMBERS);
}

static void draw64(void)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		sum += rumpns_cprng_fast64();
	sink = sum;
}

static void draw_bulk(void)
{
	static uint8_t bytes[BULK];
	size_t i;

	for (i = 0; i < BULKS; i++)
		demand(rumpns_cprng_fast(bytes, sizeof(bytes)) == sizeof(bytes), "bulk: a request is filled");
}

static void read_arandom(size_t calls)
{
	int name[] = { CTL_KERN, KERN_ARND };
	uint8_t bytes[REQUEST];
	size_t i;

	for (i = 0; i < calls; i++) {
		size_t len = sizeof(bytes);

		demand(rump_sys___sysctl(name, 2, bytes, &len, NULL, 0) == 0 && len == sizeof(bytes), "kern.arandom");
	}
}

static void read_slice(void)
{
	read_arandom(REQUESTS);
}

static int urandom;

static void read_urandom(void)
{
	static uint8_t bytes[READ];
	size_t i;

	for (i = 0; i < READS; i++)
		demand(rump_sys_read(urandom, bytes, sizeof(bytes)) == READ, "/dev/urandom");
}

/* NetBSD 10's gives 256 bytes if more are wanted, and the older one an error. */
static int is_tens(void)
{
	int name[] = { CTL_KERN, KERN_ARND };
	uint8_t bytes[REQUEST + 1];
	size_t len = sizeof(bytes);

	return rump_sys___sysctl(name, 2, bytes, &len, NULL, 0) == 0 && len == REQUEST;
}

static void *read_thread(void *arg)
{
	(void)arg;
	demand(rump_pub_lwproc_rfork(RUMP_RFFDG) == 0, "rump_pub_lwproc_rfork");
	read_arandom(CALLS);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(void (*slice)(void), double (*clock)(void))
{
	double took[SLICES];
	size_t i;

	for (i = 0; i < SLICES; i++) {
		const double begin = clock();

		slice();
		took[i] = clock() - begin;
	}
	qsort(took, SLICES, sizeof(took[0]), compare);
	return took[SLICES / 2];
}

static void measure_draws(void (*of32)(void))
{
	uint64_t some[2][4] = { { 0 } };

	rump_schedule();
	(void)rumpns_cprng_fast(some[0], sizeof(some[0]));
	(void)rumpns_cprng_fast(some[1], sizeof(some[1]));
	demand(memcmp(some[0], some[1], sizeof(some[0])) != 0, "other bytes each time");
	printf("fast32 %.3f\n", 1e9 * median(of32, now) / NUMBERS);
	printf("fast64 %.3f\n", 1e9 * median(draw64, now) / NUMBERS);
	printf("cycles %.3f\n", median(of32, counter) / NUMBERS / sizeof(uint32_t));
	printf("bulk %.4f\n", 1e-9 * BULK * BULKS / median(draw_bulk, now));
	rump_unschedule();
	urandom = rump_sys_open("/dev/urandom", O_RDONLY);
	demand(urandom >= 0, "/dev/urandom");
	printf("urandom %.4f\n", 1e-9 * READ * READS / median(read_urandom, now));
}

int main(int argc, char **argv)
{
	const char *const variant = argc > 1 ? argv[1] : "";
	pthread_t thread[4];
	double begin, cpu;
	size_t i;

	start_kernel();
	if (rumpns_check_chacha8 != NULL)
		rumpns_check_chacha8();
	if (strcmp(variant, "strong") == 0) {
		demand(rumpns_begin_ten != NULL, "a kernel with ten/glue.c");
		rump_schedule();
		rumpns_begin_ten();
		rump_unschedule();
	} else if (strcmp(variant, "inlined") == 0) {
		demand(rumpns_cprng_fast32_sum != NULL, "a kernel with origin.cpp");
		measure_draws(draw32_inlined);
	} else {
		measure_draws(draw32);
	}
	demand(is_tens() == (strcmp(variant, "strong") == 0), "the function of kern.arandom");
	printf("arandom1 %.3f\n", 4e9 / (REQUESTS * REQUEST) * median(read_slice, now));
	begin = now();
	cpu = cpu_time();
	for (i = 0; i < 4; i++)
		demand(pthread_create(&thread[i], NULL, read_thread, NULL) == 0, "pthread_create");
	for (i = 0; i < 4; i++)
		demand(pthread_join(thread[i], NULL) == 0, "pthread_join");
	printf("arandom4 %.3f\n", 4e9 / (CALLS * REQUEST) * (now() - begin));
	printf("cpu4 %.3f\n", 4e9 / (CALLS * REQUEST) * (cpu_time() - cpu));
	finish(0);
}

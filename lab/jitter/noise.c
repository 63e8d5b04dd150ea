/* SPDX-License-Identifier: BSD-2-Clause */
#include "noise.h"

#include <time.h>

#include "os/os.h"

/* The only operating system function that jitter.c calls. */
uint64_t cprng_os_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t no_cycles(void)
{
	return 0;
}

static bool no_flush(const void *p)
{
	(void)p;
	return false;
}

#define cprng_cpu_cycles no_cycles
#define cprng_cpu_flush no_flush
#define cprng_jitter_collect lab_jitter_collect_without_flushes
#include "process/jitter.c"

// SPDX-License-Identifier: BSD-2-Clause
// A loop around a call, timed by CPU time.  The checks in C and C++ share it and nothing else; none of it is the lab's code.
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned char buffer[256];

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Uses the number and forces the state into memory, as code between two draws would.
#define USE(value) __asm__ volatile("" : : "r"(value) : "memory")

// Prints the nanoseconds per call, over as many calls as take a tenth of a second.
#define MEASURE(name, call) \
	for (uint64_t calls = 1, done = 0; !done; calls *= 2) { \
		const double begin = cpu_seconds(); \
		for (uint64_t i = 0; i < calls; i++) { \
			call; \
		} \
		const double took = cpu_seconds() - begin; \
		done = took > 0.1; \
		if (done) \
			printf("%s %.4f\n", name, took / (double)calls * 1e9); \
	}

// The main function of a check: draws 32-bit numbers, and fills `buffer`.
#define CHECK(number, fill) \
	int main(void) \
	{ \
		MEASURE("bits32", USE(number)) \
		MEASURE("fill256", fill; USE(&buffer)) \
		return 0; \
	}

#endif

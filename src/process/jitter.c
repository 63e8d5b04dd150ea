/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/jitter.h"

#include "cpu/random_instructions.h"
#include "os/os.h"

/*
 * Accesses for a sample, each waiting for the one before.  Two to memory have 3.4 bits of min-entropy where this was
 * measured, and take long enough for a counter of 25 MHz (some AArch64).  Where nothing can be flushed all accesses hit the
 * cache and vary little, so a sample takes many of them: 96 give 0.6 bits in the same time.
 */
enum { STEPS_MEMORY = 2, STEPS_CACHE = 96 };

#define INDEX_BITS 10
_Static_assert(CPRNG_JITTER_MEMORY == 1 << INDEX_BITS, "an index is the top bits of x");

static uint64_t now(void)
{
	const uint64_t cycles = cprng_cpu_cycles();

	return cycles != 0 ? cycles : cprng_os_nanoseconds();
}

/* A constant amount of work: the time of a loop of random length would look more random than it is. */
static uint64_t work(struct cprng_jitter *j, int steps)
{
	uint64_t x = j->x;

	for (int i = 0; i < steps; i++) {
		volatile uint8_t *p = &j->memory[x >> (64 - INDEX_BITS)];

		/* The next place depends on the value that comes from here, and the odd factor spreads it to the top bits. */
		x = (x ^ *p) * 0x9e3779b97f4a7c15u + 1;
		*p = (uint8_t)(x >> 32);
		(void)cprng_cpu_flush((const void *)p);
	}
	return x;
}

bool cprng_jitter_collect(struct cprng_jitter *j, uint8_t *samples, size_t count)
{
	const int steps = cprng_cpu_flush(j->memory) ? STEPS_MEMORY : STEPS_CACHE;
	uint64_t before = now(), after;

	if (before == 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint64_t x = work(j, steps);

		after = now();
		samples[i] = (uint8_t)(after - before);
		j->x = x ^ (after - before);
		before = after;
	}
	return true;
}

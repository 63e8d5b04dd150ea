/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency: cycles for which draws keep interrupts waiting, as lines "NAME MEDIAN PERCENTILE-99.9".
 *
 * raised   a draw of 32 bits holds IPL_VM or more: from splraise() to spllower(), which are replaced (--wrap)
 * draw     a whole draw of 32 bits, and of 256 bytes: the wait if the caller itself has raised the level
 * reseed   cprng_strong(9) of kern_cprng, for 32 bytes, when its pool is not full yet: that object has a mutex at IPL_VM
 *
 * Cycles are those of the time stamp counter.  One draw of 32 bits in 250 refills, so the percentile shows the refills.
 */
#include <stdbool.h>
#include <x86intrin.h>

#include "netbsd.h"

enum { DRAWS = 200000, RESEEDS = 20000 };

extern void *rumpns_kern_cprng;

bool __real_rumpns_rndsink_request(void *sink, void *buf, size_t len);

static volatile int level, is_measured, is_full = 1;
static uint64_t raised_at, raised;

int __wrap_rumpns_splraise(int to)
{
	const int before = level;

	if (is_measured && before < IPL_VM && to >= IPL_VM)
		raised_at = __rdtsc();
	if (to > before)
		level = to;
	return before;
}

void __wrap_rumpns_spllower(int to)
{
	if (is_measured && level >= IPL_VM && to < IPL_VM)
		raised += __rdtsc() - raised_at;
	if (to < level)
		level = to;
}

bool __wrap_rumpns_rndsink_request(void *sink, void *buf, size_t len)
{
	return __real_rumpns_rndsink_request(sink, buf, len) && is_full;
}

static void draw32(void)
{
	(void)rumpns_cprng_fast32();
}

static void draw256(void)
{
	static uint8_t bytes[256];

	(void)rumpns_cprng_fast(bytes, sizeof(bytes));
}

static void strong(void)
{
	static uint8_t key[32];

	(void)rumpns_cprng_strong(rumpns_kern_cprng, key, sizeof(key), 0);
}

static void report(const char *name, uint64_t *took, size_t count)
{
	qsort(took, count, sizeof(took[0]), compare_words);
	printf("%s %lu %lu\n", name, (unsigned long)took[count / 2], (unsigned long)took[count - count / 1000]);
}

static void measure(const char *name, void (*call)(void), size_t count, int of_raised)
{
	static uint64_t took[DRAWS];
	size_t i;

	for (i = 0; i < count; i++) {
		const uint64_t begin = __rdtsc();

		raised = 0;
		is_measured = of_raised;
		call();
		is_measured = 0;
		took[i] = of_raised ? raised : __rdtsc() - begin;
	}
	report(name, took, count);
}

int main(void)
{
	demand(setenv("RUMP_NCPU", "1", 1) == 0, "setenv");
	start_kernel();
	rump_schedule();
	measure("raised", draw32, DRAWS, 1);
	measure("draw32", draw32, DRAWS, 0);
	measure("draw256", draw256, DRAWS, 0);
	measure("strong", strong, RESEEDS, 0);
	is_full = 0;
	measure("reseed", strong, RESEEDS, 0);
	rump_unschedule();
	finish(0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency: cycles for which draws keep interrupts waiting, as lines "NAME MEDIAN PERCENTILE-99.9 MAXIMUM EVENTS".
 *
 * raised         a draw of 32 bits holds IPL_VM or more: from splraise() to spllower(), which are replaced (--wrap)
 * draw32, 256    a whole draw of 32 bits, and of 256 bytes: the wait if the caller itself has raised the level
 * strong         cprng_strong(9) of kern_cprng, for 32 bytes: that object has a mutex at IPL_VM
 * strong_reseed  the same with a reseed, for which the object takes 16 bytes of the entropy pool
 * reseed         in the last: the generator's part of it, nist_ctr_drbg_reseed(), without the pool's
 * idle           a loop that takes about as long, one after each reseed: its percentile and maximum are those of the host
 * sha256         two compressions, as many as ours needs for a reseed, if the kernel has our SHA-256
 * section        fpu_kern_enter() and fpu_kern_leave() with nothing in between, if the kernel has them
 *
 * Events are what the name says, and were counted: raised levels, draws, requests of the generator, reseeds.  Cycles are those of
 * the time stamp counter.  One draw of 32 bits in 120 or 248 refills, so the percentile shows the refills.
 */
#include <limits.h>
#include <stdbool.h>
#include <x86intrin.h>

#include "netbsd.h"

/* The steps of the idle loop together take about as long as a reseed: 2100 to 3400 cycles on a Zen 3. */
enum { DRAWS = 200000, RESEEDS = 20000, FULL = 64, IDLE_STEPS = 2500 };

extern void *rumpns_kern_cprng;

void rumpns_rnd_add_data(void *source, const void *data, uint32_t len, uint32_t entropy);
void rumpns_fpu_kern_enter(void) __attribute__((weak));
void rumpns_fpu_kern_leave(void) __attribute__((weak));
void rumpns_cprng_sha256_init(void *hash) __attribute__((weak));
void rumpns_cprng_sha256_update(void *hash, const void *bytes, size_t len) __attribute__((weak));
void rumpns_cprng_sha256_final(void *hash, uint8_t digest[32]) __attribute__((weak));
int __real_rumpns_nist_ctr_drbg_generate(void *drbg, void *out, int len, const void *additional, int additional_len);
int __real_rumpns_nist_ctr_drbg_reseed(void *drbg, const void *entropy, int len, const void *additional,
				       int additional_len);
void __real_rumpns_rndsink_schedule(void *sink);

static volatile int level, is_measured, is_forced;
static uint64_t raised_at, raised, raises, generated, reseeds, reseed_took;
static size_t given; /* bytes that cprng_fast() and cprng_strong() returned */

int __wrap_rumpns_splraise(int to)
{
	const int before = level;

	if (is_measured && before < IPL_VM && to >= IPL_VM) {
		raises++;
		raised_at = __rdtsc();
	}
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

/*
 * The generator's first member counts requests up to a limit, after which cprng_strong(9) reseeds.  So this forces a reseed in the
 * next call.
 */
int __wrap_rumpns_nist_ctr_drbg_generate(void *drbg, void *out, int len, const void *additional, int additional_len)
{
	const int status = __real_rumpns_nist_ctr_drbg_generate(drbg, out, len, additional, additional_len);

	generated++;
	if (is_forced)
		*(unsigned int *)drbg = UINT_MAX;
	return status;
}

int __wrap_rumpns_nist_ctr_drbg_reseed(void *drbg, const void *entropy, int len, const void *additional,
				       int additional_len)
{
	const uint64_t begin = __rdtsc();
	const int status = __real_rumpns_nist_ctr_drbg_reseed(drbg, entropy, len, additional, additional_len);

	reseed_took = __rdtsc() - begin;
	reseeds++;
	return status;
}

/* Otherwise the kernel would ask its host for entropy after each forced reseed. */
void __wrap_rumpns_rndsink_schedule(void *sink)
{
	if (!is_forced)
		__real_rumpns_rndsink_schedule(sink);
}

static void draw32(void)
{
	(void)rumpns_cprng_fast32();
}

static void draw256(void)
{
	static uint8_t bytes[256];

	given += rumpns_cprng_fast(bytes, sizeof(bytes));
}

static void strong(void)
{
	static uint8_t key[32];

	given += rumpns_cprng_strong(rumpns_kern_cprng, key, sizeof(key), 0);
}

static void hash(void)
{
	static uint64_t state[32]; /* room for a struct cprng_sha256 */
	static uint8_t message[96], digest[32];

	rumpns_cprng_sha256_init(state);
	rumpns_cprng_sha256_update(state, message, sizeof(message));
	rumpns_cprng_sha256_final(state, digest);
}

static void section(void)
{
	rumpns_fpu_kern_enter();
	rumpns_fpu_kern_leave();
}

static void idle(void)
{
	unsigned int left = IDLE_STEPS;

	do
		__asm__ volatile("" : "+r"(left));
	while (--left != 0);
}

/*
 * A reseed takes its 16 bytes from the pool.  If the pool does not have so much entropy, the call waits for the kernel's host, and
 * the object still reseeds in each later call: before this function filled the pool, a process took 2500 or 40000 cycles a call.
 */
static void fill_pool(void)
{
	static const uint8_t bytes[FULL] = { 1 };

	rumpns_rnd_add_data(NULL, bytes, sizeof(bytes), 8 * sizeof(bytes));
}

static void report(const char *name, uint64_t *took, size_t count, uint64_t events)
{
	qsort(took, count, sizeof(took[0]), compare_words);
	printf("%s %lu %lu %lu %lu\n", name, (unsigned long)took[count / 2], (unsigned long)took[count - count / 1000],
	       (unsigned long)took[count - 1], (unsigned long)events);
}

static void measure(const char *name, void (*call)(void), size_t count, size_t size, int of_raised)
{
	static uint64_t took[DRAWS];
	size_t i;

	raises = given = 0;
	for (i = 0; i < count; i++) {
		const uint64_t begin = __rdtsc();

		raised = 0;
		is_measured = of_raised;
		call();
		is_measured = 0;
		took[i] = of_raised ? raised : __rdtsc() - begin;
	}
	demand(given == count * size, name);
	report(name, took, count, of_raised ? raises : count);
}

static void measure_strong(void)
{
	static uint64_t whole[RESEEDS], part[RESEEDS], none[RESEEDS];
	size_t i;

	/* The first reseed, with a full pool, is the last one that is not forced. */
	fill_pool();
	strong();
	generated = reseeds = 0;
	measure("strong", strong, RESEEDS, 32, 0);
	demand(generated == RESEEDS, "each request is one of the generator");
	demand(reseeds == 0, "none reseeds");
	is_forced = 1;
	strong();
	given = 0;
	for (i = 0; i < RESEEDS; i++) {
		uint64_t begin;

		fill_pool();
		reseed_took = 0;
		begin = __rdtsc();
		strong();
		whole[i] = __rdtsc() - begin;
		part[i] = reseed_took;
		demand(reseed_took != 0, "each request reseeds");
		begin = __rdtsc();
		idle();
		none[i] = __rdtsc() - begin;
	}
	is_forced = 0;
	demand(given == 32 * RESEEDS, "strong_reseed");
	report("strong_reseed", whole, RESEEDS, reseeds);
	report("reseed", part, RESEEDS, reseeds);
	report("idle", none, RESEEDS, RESEEDS);
}

int main(void)
{
	demand(setenv("RUMP_NCPU", "1", 1) == 0, "setenv");
	start_kernel();
	rump_schedule();
	/* The first draw may find a new epoch, and raises the level for each key that it gets. */
	draw32();
	measure("raised", draw32, DRAWS, 0, 1);
	measure("draw32", draw32, DRAWS, 0, 0);
	measure("draw256", draw256, DRAWS, 256, 0);
	measure_strong();
	if (rumpns_cprng_sha256_final != NULL)
		measure("sha256", hash, DRAWS, 0, 0);
	if (rumpns_fpu_kern_enter != NULL)
		measure("section", section, DRAWS, 0, 0);
	rump_unschedule();
	finish(0);
}

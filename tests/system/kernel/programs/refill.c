/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refill: how long a refilling draw disables interrupts (kernel/linux/percpu.c), in core cycles, for several refill
 * sizes: blocks, bytes, rounds, cycles, and mean cycles per 32 bits.
 *
 * The steps are the module's, and the cipher's sources are compiled with a kernel's options (tests/system/kernel/measure).  The
 * time stamp counter has its own rate, so each row is timed beside a chain of additions, of which no core does more than one per
 * cycle.  Interrupts are on here; they hit few calls, so the median ignores them.  A program on the core's other thread takes
 * execution units, but does not slow a chain: so all rows are timed many times, in turn, and each row's least median counts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "core/buffer.h"
#include "engine/engine.h"

enum {
	CALLS = 20000,
	TURNS = 100,
	BLOCKS_MAX = 4,
	KEY_SIZE = 32,
	DRAW = 4,
	/* 8 per turn; long enough that reading the counter does not matter. */
	ADDITIONS = 8 * 512,
};

static struct cprng_buffer buffer;
static const struct cprng_engine *engine;
static const struct cprng_backend *portable;
static uint64_t took[CALLS];

static const struct cprng_backend *find_portable(const struct cprng_backend *b)
{
	while (b->name != NULL && strcmp(b->name, "portable") != 0)
		b++;
	if (b->name == NULL)
		abort();
	return b;
}

static __attribute__((noinline)) void refill(size_t blocks, unsigned int rounds)
{
	static const uint8_t nonce[8];
	struct cprng_keystate ks;
	uint8_t fresh[BLOCKS_MAX * 64] __attribute__((aligned(64)));
	const uint64_t tag = cprng_buffer_take_key(&buffer, fresh);

	portable->set_key(&ks, fresh, KEY_SIZE);
	engine->family->set_position(&ks, nonce, sizeof(nonce), 0);
	portable->keystream(&ks, rounds, fresh, blocks, 0);
	cprng_buffer_put_key(&buffer, fresh, tag + 1);
	cprng_buffer_push(&buffer, fresh + KEY_SIZE, blocks * 64 - KEY_SIZE);
	cprng_wipe(fresh, blocks * 64);
	cprng_wipe(&ks, sizeof(ks));
}

static void draw(size_t blocks, unsigned int rounds)
{
	uint32_t x;

	if (blocks == 0)
		return;
	if (!cprng_buffer_pop(&buffer, &x, DRAW)) {
		refill(blocks, rounds);
		if (!cprng_buffer_pop(&buffer, &x, DRAW))
			abort();
	}
	__asm__ volatile("" : : "r"(x));
}

/* Like the kernel's rdtsc_ordered(), and nothing after it starts before it. */
static uint64_t ticks(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(size_t n)
{
	qsort(took, n, sizeof(*took), compare);
	return (double)took[n / 2];
}

/* Ticks of a draw that finds the buffer empty; of an empty function with 0 blocks. */
static double time_draw(size_t blocks, unsigned int rounds)
{
	for (size_t i = 0; i < CALLS; i++) {
		uint64_t begin;

		buffer.left = 0;
		begin = ticks();
		draw(blocks, rounds);
		took[i] = ticks() - begin;
	}
	return median(CALLS);
}

/* Two registers, because some cores eliminate additions of constants. */
static double ticks_of_a_cycle(void)
{
	enum { TIMES = 1001 };
	uint64_t x = 1;

	for (size_t i = 0; i < TIMES; i++) {
		const uint64_t y = i | 1, begin = ticks();

		for (size_t j = 0; j < ADDITIONS / 8; j++)
			__asm__ volatile("add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
					 "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
					 : "+r"(x)
					 : "r"(y));
		took[i] = ticks() - begin;
	}
	return median(TIMES) / ADDITIONS;
}

int main(void)
{
	static const struct {
		size_t blocks;
		unsigned int rounds;
	} rows[] = { { 1, 20 }, { 2, 20 }, { 4, 20 }, { 1, 8 }, { 2, 8 }, { 4, 8 } };
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	double least[ROWS];

	for (engine = cprng_engines; engine->name != NULL && strcmp(engine->name, "chacha20") != 0; engine++)
		;
	portable = find_portable(engine->family->backends);
	/* Any key, since its value does not affect the time. */
	cprng_buffer_put_key(&buffer, (const uint8_t[KEY_SIZE]){ 1 }, 1);
	for (size_t turn = 0; turn < TURNS; turn++) {
		for (size_t i = 0; i < ROWS; i++) {
			const double cycles =
				(time_draw(rows[i].blocks, rows[i].rounds) - time_draw(0, 0)) / ticks_of_a_cycle();

			if (turn == 0 || cycles < least[i])
				least[i] = cycles;
		}
	}
	for (size_t i = 0; i < ROWS; i++) {
		const size_t blocks = rows[i].blocks, bytes = blocks * 64 - KEY_SIZE;

		printf("%zu %zu %u %.0f %.0f\n", blocks, bytes, rows[i].rounds, least[i],
		       least[i] / ((double)bytes / DRAW));
	}
	return 0;
}

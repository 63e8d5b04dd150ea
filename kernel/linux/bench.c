// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The benchmark, run by reading debugfs' cprng/bench: time stamp counter units, on the reader's
 * CPU.
 *
 * Each call is made and timed separately with interrupts off, so a draw's time bounds the time for
 * which it disables interrupts.  The mean is over calls in a row without that timing, with
 * interrupts on unless a row takes a single call.  The same is repeated in a hard interrupt for
 * functions that may be called there in every kernel.
 */
#include <linux/build_bug.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>
#include <asm/msr.h>

#include "kernel/linux/module.h"

enum {
	CALLS = 20000,
	/* Then let others run, untimed: 40 ms of the slowest row, or a second under emulation. */
	CALLS_IN_A_ROW = 500,
	/* Calls in one interrupt. */
	CALLS_IN_AN_INTERRUPT = 50,
	LENGTH_MAX = 4096,
	LENGTH_MAX_IN_AN_INTERRUPT = 256,
};

static_assert(CALLS % CALLS_IN_A_ROW == 0 && CALLS % CALLS_IN_AN_INTERRUPT == 0, "whole batches");

static u8 buffer[LENGTH_MAX];

static void nothing(size_t len)
{
}

static void own32(size_t len)
{
	(void)cprng_fast32();
}

static void own64(size_t len)
{
	(void)cprng_fast64();
}

static void own(size_t len)
{
	cprng_fast(buffer, len);
}

static void own_strong(size_t len)
{
	cprng_strong(buffer, len);
}

static void linux32(size_t len)
{
	(void)get_random_u32();
}

static void linux64(size_t len)
{
	(void)get_random_u64();
}

static void linux_bytes(size_t len)
{
	get_random_bytes(buffer, len);
}

static const struct row {
	const char *name;
	void (*call)(size_t len);
	size_t len;
} rows[] = {
	{ "nothing", nothing, 0 },
	{ "cprng_fast32", own32, 4 },
	{ "get_random_u32", linux32, 4 },
	{ "cprng_fast64", own64, 8 },
	{ "get_random_u64", linux64, 8 },
	{ "cprng_fast", own, 32 },
	{ "get_random_bytes", linux_bytes, 32 },
	{ "cprng_strong", own_strong, 32 },
	{ "cprng_fast", own, 128 },
	{ "cprng_fast", own, 256 },
	{ "get_random_bytes", linux_bytes, 256 },
	{ "cprng_strong", own_strong, 256 },
	{ "cprng_fast", own, 4096 },
	{ "get_random_bytes", linux_bytes, 4096 },
	{ "cprng_strong", own_strong, 4096 },
};

static int compare(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : *(const u32 *)a > *(const u32 *)b;
}

static u32 time_one(const struct row *row)
{
	const u64 begin = rdtsc_ordered();

	row->call(row->len);
	return min_t(u64, rdtsc_ordered() - begin, U32_MAX);
}

static void time_one_by_one(const struct row *row, u32 *took)
{
	unsigned long flags;
	size_t i;

	for (i = 0; i < CALLS; i++) {
		local_irq_save(flags);
		took[i] = time_one(row);
		local_irq_restore(flags);
		cond_resched();
	}
	sort(took, CALLS, sizeof(*took), compare, NULL);
}

static u64 time_in_a_row(const struct row *row)
{
	u64 begin, sum = 0;
	size_t i, batch;

	for (batch = 0; batch < CALLS / CALLS_IN_A_ROW; batch++) {
		begin = rdtsc_ordered();
		for (i = 0; i < CALLS_IN_A_ROW; i++)
			row->call(row->len);
		sum += rdtsc_ordered() - begin;
		cond_resched();
	}
	return sum;
}

/* A mutex: one reader benchmarks at a time. */
static DEFINE_MUTEX(one_at_a_time);
static const struct row *interrupt_row;
static u32 *interrupt_took;
static u64 interrupt_sum;

static void on_interrupt(struct irq_work *work)
{
	u64 begin;
	size_t i;

	for (i = 0; i < CALLS_IN_AN_INTERRUPT; i++)
		*interrupt_took++ = time_one(interrupt_row);
	begin = rdtsc_ordered();
	for (i = 0; i < CALLS_IN_AN_INTERRUPT; i++)
		interrupt_row->call(interrupt_row->len);
	interrupt_sum += rdtsc_ordered() - begin;
}

static u64 time_in_interrupts(const struct row *row, u32 *took)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(on_interrupt);

	interrupt_row = row;
	interrupt_sum = 0;
	for (interrupt_took = took; interrupt_took != took + CALLS;) {
		irq_work_queue(&work);
		irq_work_sync(&work);
		cond_resched();
	}
	sort(took, CALLS, sizeof(*took), compare, NULL);
	return interrupt_sum;
}

static void print_hundredths(struct seq_file *m, u64 n, u64 by)
{
	const u64 hundredths = div64_u64(100 * n, by);

	seq_printf(m, " %8llu.%02llu", hundredths / 100, hundredths % 100);
}

static void print_head(struct seq_file *m, const char *where)
{
	seq_printf(m, "%-17s %5s %11s %11s %8s %8s %8s %8s %8s\n", where, "bytes", "mean",
		   "per byte", "least", "median", "99%", "99.9%", "most");
}

static void print_row(struct seq_file *m, const struct row *row, u64 sum, const u32 *took)
{
	seq_printf(m, "%-17s %5zu", row->name, row->len);
	print_hundredths(m, sum, CALLS);
	print_hundredths(m, sum, CALLS * max_t(u64, row->len, 1));
	seq_printf(m, " %8u %8u %8u %8u %8u\n", took[0], took[CALLS / 2], took[CALLS * 99 / 100],
		   took[CALLS * 999 / 1000], took[CALLS - 1]);
}

/* Not in hard interrupts: with PREEMPT_RT the kernel's generator takes a sleeping lock. */
static bool may_be_called(const struct row *row)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) || strncmp(row->name, "get_random", 10) != 0;
}

static void print_all(struct seq_file *m, u32 *took)
{
	const struct row *row;

	print_head(m, "process");
	for (row = rows; row != rows + ARRAY_SIZE(rows); row++) {
		if (!may_be_called(row))
			continue;
		time_one_by_one(row, took);
		print_row(m, row, time_in_a_row(row), took);
	}
	print_head(m, "interrupt");
	for (row = rows; row != rows + ARRAY_SIZE(rows); row++) {
		if (may_be_called(row) && row->len <= LENGTH_MAX_IN_AN_INTERRUPT)
			print_row(m, row, time_in_interrupts(row, took), took);
	}
}

void cprng_bench_show(struct seq_file *m)
{
	u32 *took = vmalloc(CALLS * sizeof(*took));

	if (!took)
		return;
	mutex_lock(&one_at_a_time);
	print_all(m, took);
	mutex_unlock(&one_at_a_time);
	vfree(took);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Draws inside draws: each CPU has a state for each, and no two may return the same bytes.
 *
 * `draw`: words of each state of each CPU, drawn in the function call interrupt; one CPU per line.
 * `depths`: words of each depth of NMIs that interrupt each other's draws on this CPU, as simulated for the module.  `probe`,
 * `probe_strong`: words drawn by a probe on a function that draws call, in the middle of draws, and those draws' own words.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "kernel/linux/cprng.h"
#include "kernel/linux/module.h"
#include "tests/system/kernel/module/test.h"

/* At least every thirteenth refills. */
enum { DRAWS = 14, WORDS = 2 * CPRNG_LEVELS };

/*
 * Each state draws until its refill, during which the next one does the same.  Its first word was buffered, if any was,
 * and the last one comes from the refill.  Interrupts are off.
 */
static struct {
	unsigned int cpu, level, levels;
	bool nmis, refilled;
	u64 word[WORDS];
} run;

static void draw_level(void)
{
	const unsigned int level = run.level;
	unsigned int i;

	run.refilled = false;
	run.word[level] = cprng_fast64();
	for (i = 1; i < DRAWS && (i == 1 || !run.refilled); i++)
		run.word[CPRNG_LEVELS + level] = cprng_fast64();
}

static void on_refill(enum cprng_test_point point)
{
	if (point != CPRNG_AT_REFILL || raw_smp_processor_id() != run.cpu || run.refilled)
		return;
	if (run.level + 1 < run.levels) {
		run.level++;
		if (run.nmis)
			__preempt_count_add(NMI_OFFSET);
		draw_level();
		if (run.nmis)
			__preempt_count_sub(NMI_OFFSET);
	}
	run.refilled = true;
}

static void draw_here(void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	memset(run.word, 0, sizeof(run.word));
	run.cpu = raw_smp_processor_id();
	run.level = 0;
	WRITE_ONCE(cprng_test_hook, on_refill);
	draw_level();
	WRITE_ONCE(cprng_test_hook, NULL);
	local_irq_restore(flags);
}

static void print_words(struct seq_file *m, const u64 *word, size_t count, char between)
{
	size_t i;

	for (i = 0; i < count; i++)
		seq_printf(m, "%016llx%c", word[i], i + 1 == count ? '\n' : between);
}

static void draw_show(struct seq_file *m)
{
	unsigned int cpu;

	run.nmis = false;
	run.levels = CPRNG_LEVELS;
	cpus_read_lock();
	for_each_online_cpu(cpu)
	{
		smp_call_function_single(cpu, draw_here, NULL, 1);
		print_words(m, run.word, WORDS, ' ');
	}
	cpus_read_unlock();
}

static void depths_show(struct seq_file *m)
{
	run.nmis = true;
	run.levels = CPRNG_LEVELS;
	draw_here(NULL);
	print_words(m, run.word, WORDS, '\n');
}

/* ------------------------------------------------------------------------------------------------ by a probe */

enum { PROBED = 300 };

static u64 probed[2 * PROBED];
static unsigned int probes;
static u64 (*draw_probed)(void);

static u64 strong64(void)
{
	u64 x;

	cprng_strong(&x, sizeof(x));
	return x;
}

static int on_probe(struct kprobe *probe, struct pt_regs *regs)
{
	if (raw_smp_processor_id() == run.cpu && probes < PROBED)
		probed[PROBED + probes++] = draw_probed();
	return 0;
}

/*
 * The cipher, between the old key and the new one; for strong bytes, under Fortuna's lock.  At a function's beginning
 * the kernel implements a probe as a tracer's callback, which for the module is not in an NMI.
 */
static struct kprobe probe = { .symbol_name = "cprng:run_backend", .pre_handler = on_probe };

static void print_probed(struct seq_file *m, u64 (*draw)(void))
{
	unsigned long flags;
	unsigned int i;
	int r;

	probes = 0;
	draw_probed = draw;
	run.cpu = nr_cpu_ids;
	r = register_kprobe(&probe);
	if (r != 0) {
		seq_printf(m, "no probe: %d\n", r);
	} else {
		local_irq_save(flags);
		run.cpu = raw_smp_processor_id();
		for (i = 0; i < PROBED; i++)
			probed[i] = draw();
		run.cpu = nr_cpu_ids;
		local_irq_restore(flags);
		unregister_kprobe(&probe);
		/* So that it can be registered again. */
		probe.addr = NULL;
		probe.flags = 0;
		print_words(m, probed, PROBED + probes, '\n');
	}
}

static void probe_show(struct seq_file *m)
{
	print_probed(m, cprng_fast64);
}

static void probe_strong_show(struct seq_file *m)
{
	print_probed(m, strong64);
}

void cprng_nested_init(struct dentry *directory)
{
	cprng_test_file(directory, "draw", draw_show);
	cprng_test_file(directory, "depths", depths_show);
	cprng_test_file(directory, "probe", probe_show);
	cprng_test_file(directory, "probe_strong", probe_strong_show);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* /sys/kernel/debug/cprng: results of the self-tests, counters, and the benchmark (bench.c). */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "kernel/linux/module.h"

static int selftest_show(struct seq_file *m, void *v)
{
	cprng_cipher_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(selftest);

/* An offline CPU shows zeros: its counters are erased with its state. */
static int status_show(struct seq_file *m, void *v)
{
	struct cprng_percpu_counters first, nested, of;
	unsigned int cpu, level;

	cprng_reseed_show(m);
	for_each_possible_cpu(cpu) {
		cprng_percpu_count(cpu, 0, &first);
		memset(&nested, 0, sizeof(nested));
		for (level = 1; level < CPRNG_LEVELS; level++) {
			cprng_percpu_count(cpu, level, &of);
			nested.refills += of.refills;
			nested.reseeds += of.reseeds;
		}
		seq_printf(m, "cpu%u refills %llu reseeds %llu", cpu, first.refills, first.reseeds);
		seq_printf(m, " nested-refills %llu nested-reseeds %llu\n", nested.refills,
			   nested.reseeds);
	}
	cprng_fortuna_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int bench_show(struct seq_file *m, void *v)
{
	cprng_bench_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench);

static struct dentry *directory __ro_after_init;

/* Ignore results, as debugfs asks its users to: it may be absent. */
void __init cprng_debug_init(void)
{
	directory = debugfs_create_dir("cprng", NULL);
	debugfs_create_file("selftest", 0400, directory, NULL, &selftest_fops);
	debugfs_create_file("status", 0400, directory, NULL, &status_fops);
	debugfs_create_file("bench", 0400, directory, NULL, &bench_fops);
}

/* Waits for active readers. */
void cprng_debug_exit(void)
{
	debugfs_remove(directory);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* /sys/kernel/debug/cprng: what the self-tests found, what was counted, and the benchmark (bench.c). */
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

static int status_show(struct seq_file *m, void *v)
{
	struct cprng_percpu_counters sum[CPRNG_LEVELS] = { 0 };
	unsigned int cpu, level;

	for_each_possible_cpu(cpu) for (level = 0; level < CPRNG_LEVELS; level++)
		cprng_percpu_count(cpu, level, &sum[level]);
	seq_printf(m, "generation %lu\nrefills %llu\nreseeds %llu\nrefills_nmi %llu\nreseeds_nmi %llu\n",
		   cprng_generation(), sum[CPRNG_LEVEL_IRQ].refills, sum[CPRNG_LEVEL_IRQ].reseeds,
		   sum[CPRNG_LEVEL_NMI].refills, sum[CPRNG_LEVEL_NMI].reseeds);
	cprng_fortuna_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static struct dentry *directory;

/* As everybody does, without a look whether there is a debugfs. */
void cprng_debug_init(void)
{
	directory = debugfs_create_dir("cprng", NULL);
	debugfs_create_file("selftest", 0400, directory, NULL, &selftest_fops);
	debugfs_create_file("status", 0400, directory, NULL, &status_fops);
}

/* Waits for readers that are under way. */
void cprng_debug_exit(void)
{
	debugfs_remove(directory);
}

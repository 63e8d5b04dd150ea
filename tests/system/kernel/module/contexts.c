/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `contexts`: the cipher returns the same bytes in every context, with vectors or without, for every length.
 *
 * `long`: a request of 64 KiB with interrupts off, and one with interrupts on.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/fpu/api.h>

#include "kernel/linux/compat.h"
#include "kernel/linux/cprng.h"
#include "kernel/linux/module.h"
#include "tests/system/kernel/module/test.h"

/* Some vectors more than a page, which is one section, and a tail. */
enum { LENGTH = 4096 + 1024 + 63 };

static u8 expected[LENGTH], found[LENGTH];

/* RFC 8439's block function for zero key, nonce and counter (test vector 1 in appendix A.1). */
static const u8 zero_block[16] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90,
				   0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28 };

/* A prime step for longer requests, where the number of whole blocks matters. */
static bool agrees(void)
{
	static const u8 key[CPRNG_KEY_SIZE];
	size_t len;

	for (len = 0; len <= LENGTH; len += len < 700 ? 1 : 127) {
		memset(found, 0, sizeof(found));
		cprng_cipher_expand(key, found, len);
		if (memcmp(found, expected, len) != 0 || memchr_inv(found + len, 0, LENGTH - len) != NULL)
			return false;
	}
	return memcmp(expected, zero_block, sizeof(zero_block)) == 0;
}

static void in_interrupt_of_call(void *result)
{
	*(bool *)result = in_hardirq() && agrees();
}

static void contexts_show(struct seq_file *m)
{
	static const u8 key[CPRNG_KEY_SIZE];
	unsigned long flags;
	bool ok;

	local_irq_save(flags);
	cprng_cipher_expand(key, expected, LENGTH);
	ok = agrees();
	local_irq_restore(flags);
	seq_printf(m, "interrupts off %s\n", ok ? "ok" : "WRONG");

	seq_printf(m, "process %s\n", agrees() ? "ok" : "WRONG");

	local_bh_disable();
	ok = agrees();
	local_bh_enable();
	seq_printf(m, "bottom halves off %s\n", ok ? "ok" : "WRONG");

	kernel_fpu_begin();
	ok = agrees();
	kernel_fpu_end();
	seq_printf(m, "in a section %s\n", ok ? "ok" : "WRONG");

	ok = false;
	/* A thread that has moved to the chosen CPU would call the function itself. */
	preempt_disable();
	smp_call_function_single(cpumask_any_but(cpu_online_mask, raw_smp_processor_id()), in_interrupt_of_call, &ok,
				 1);
	preempt_enable();
	seq_printf(m, "interrupt %s\n", ok ? "ok" : "WRONG");
}

/* Without vectors, and in 16 vector sections, each with preemption off. */
static void long_show(struct seq_file *m)
{
	enum { LONG = 1 << 16 };
	u8 *p = kmalloc(LONG, GFP_KERNEL);
	unsigned long flags;

	if (p != NULL) {
		local_irq_save(flags);
		cprng_fast(p, LONG);
		local_irq_restore(flags);
		memset(p, 0, LONG);
		cprng_fast(p, LONG);
	}
	seq_printf(m, "%d bytes %s\n", LONG, p != NULL && memchr_inv(p, 0, LONG) != NULL ? "drawn" : "WRONG");
	kfree(p);
}

void cprng_contexts_init(struct dentry *directory)
{
	cprng_test_file(directory, "contexts", contexts_show);
	cprng_test_file(directory, "long", long_show);
}

/* Serialises the files' functions, which would disturb each other. */
static DEFINE_MUTEX(lock);

static int file_show(struct seq_file *m, void *v)
{
	mutex_lock(&lock);
	((void (*)(struct seq_file *))m->private)(m);
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(file);

void cprng_test_file(struct dentry *directory, const char *name, void (*show)(struct seq_file *m))
{
	debugfs_create_file(name, 0400, directory, show, &file_fops);
}

static struct dentry *directory;

static int __init test_init(void)
{
	int r;

	directory = debugfs_create_dir("cprng_test", NULL);
	r = cprng_race_init(directory);
	if (r != 0) {
		debugfs_remove(directory);
		return r;
	}
	cprng_contexts_init(directory);
	cprng_nested_init(directory);
	cprng_life_init(directory);
	cprng_residue_init(directory);
	cprng_wrong_init(directory);
	return 0;
}
module_init(test_init);

static void __exit test_exit(void)
{
	debugfs_remove(directory);
	cprng_race_exit();
}
module_exit(test_exit);

MODULE_DESCRIPTION("Tests of cprng.ko");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS(CPRNG_NAMESPACE);
MODULE_IMPORT_NS(CPRNG_TEST_NAMESPACE);

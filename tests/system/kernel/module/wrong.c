/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `wrong`: makes the mistake whose name is written to it, for kernels that detect such mistakes.  If one is not
 * detected, the module's silence means nothing.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "tests/system/kernel/module/test.h"

static DEFINE_SPINLOCK(one);
static DEFINE_SPINLOCK(other);
static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_MUTEX(mutex);

/* Never at the same time, so that nothing waits: only the order is wrong. */
static void lock_order(void)
{
	spin_lock(&one);
	spin_lock(&other);
	spin_unlock(&other);
	spin_unlock(&one);
	spin_lock(&other);
	spin_lock(&one);
	spin_unlock(&one);
	spin_unlock(&other);
}

static void take_raw(void *arg)
{
	raw_spin_lock(&raw);
	raw_spin_unlock(&raw);
}

/* An interrupt takes a lock that is held with interrupts on elsewhere. */
static void lock_in_interrupt(void)
{
	take_raw(NULL);
	smp_call_function_single(cpumask_any_but(cpu_online_mask, raw_smp_processor_id()), take_raw, NULL, 1);
}

/* With PREEMPT_RT the inner one sleeps. */
static void lock_in_raw_lock(void)
{
	raw_spin_lock(&raw);
	spin_lock(&one);
	spin_unlock(&one);
	raw_spin_unlock(&raw);
}

static void sleep_under_lock(void)
{
	spin_lock(&one);
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
	spin_unlock(&one);
}

/* Hides the value from the compiler. */
static size_t opaque(size_t x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x;
}

enum { SIZE = 24 };

static void overrun(void)
{
	u8 *p = kmalloc(SIZE, GFP_KERNEL);

	if (p != NULL)
		WRITE_ONCE(p[opaque(SIZE)], 1);
	kfree(p);
}

static void overrun_stack(void)
{
	u8 a[SIZE];

	memset(a, 0, sizeof(a));
	/* Not by an index, which another detector would see. */
	(void)READ_ONCE(*(a + opaque(SIZE)));
}

static void use_after_free(void)
{
	u8 *p = kmalloc(SIZE, GFP_KERNEL), *freed = p;

	OPTIMIZER_HIDE_VAR(freed);
	kfree(p);
	if (freed != NULL)
		(void)READ_ONCE(*freed);
}

/* Several, because a pointer left on a stack hides its memory. */
static void leak(void)
{
	unsigned int i;
	u8 *p;

	for (i = 0; i < 16; i++) {
		p = kmalloc(SIZE, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(p);
	}
}

static u8 array[SIZE + 1];

static void index_too_large(void)
{
	array[opaque(SIZE + 1)] = 1;
}

static unsigned int shifted;

static void shift_too_far(void)
{
	WRITE_ONCE(shifted, 1u << opaque(40));
}

static void *pointer;

static void rcu_without_lock(void)
{
	(void)rcu_dereference(*(void __rcu **)&pointer);
}

static void cpu_of_preemptible(void)
{
	(void)smp_processor_id();
}

static void on_timer(struct timer_list *timer)
{
}

/* It is removed at once: the detector does that. */
static void free_running_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (timer == NULL)
		return;
	timer_setup(timer, on_timer, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static const struct {
	const char *name;
	void (*act)(void);
} wrongs[] = {
	{ "lock-order", lock_order },
	{ "lock-in-interrupt", lock_in_interrupt },
	{ "lock-in-raw-lock", lock_in_raw_lock },
	{ "sleep-under-lock", sleep_under_lock },
	{ "overrun", overrun },
	{ "overrun-stack", overrun_stack },
	{ "use-after-free", use_after_free },
	{ "leak", leak },
	{ "index-too-large", index_too_large },
	{ "shift-too-far", shift_too_far },
	{ "rcu-without-lock", rcu_without_lock },
	{ "cpu-of-preemptible", cpu_of_preemptible },
	{ "free-running-timer", free_running_timer },
};

static ssize_t wrong_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char name[32];
	ssize_t n = simple_write_to_buffer(name, sizeof(name) - 1, pos, buf, len);
	size_t i;

	if (n < 0)
		return n;
	name[n] = '\0';
	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		if (sysfs_streq(name, wrongs[i].name)) {
			wrongs[i].act();
			return n;
		}
	}
	return -EINVAL;
}

static const struct file_operations wrong_fops = {
	.owner = THIS_MODULE,
	.write = wrong_write,
};

void cprng_wrong_init(struct dentry *directory)
{
	debugfs_create_file("wrong", 0200, directory, NULL, &wrong_fops);
}

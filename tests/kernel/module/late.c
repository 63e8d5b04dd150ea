/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cprng_late.ko: when cprng.ko is unloaded a CPU turns interrupts off and draws, so that the draw's request for a key waits
 * there, for long enough that cprng.ko would be gone, did it not wait for it.
 *
 * A user of the module would keep it; so what this needs of it is looked up and let go.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "kernel/linux/compat.h"
#include "kernel/linux/testing.h"

static DECLARE_COMPLETION(goes);
static bool has_drawn;
static struct module *(*draw)(void);

static int keep_interrupts_off(void *arg)
{
	unsigned long flags;
	unsigned int i;

	wait_for_completion(&goes);
	local_irq_save(flags);
	(void)draw();
	smp_store_release(&has_drawn, true);
	for (i = 0; i < 10000; i++)
		udelay(100);
	local_irq_restore(flags);
	pr_info("cprng_late: interrupts are on again\n");
	return 0;
}

/* In rmmod, before anything of the module has ended. */
static void on_exit(enum cprng_test_point point)
{
	if (point != CPRNG_AT_EXIT)
		return;
	complete(&goes);
	while (!smp_load_acquire(&has_drawn))
		cond_resched();
	pr_info("cprng_late: it goes, and a request waits\n");
}

static int __init late_init(void)
{
	void (**hook)(enum cprng_test_point point) = symbol_get(cprng_test_hook);
	struct task_struct *thread;

	draw = symbol_get(cprng_test_draw);
	if (hook == NULL || draw == NULL)
		return -ENOENT;
	thread = kthread_create(keep_interrupts_off, NULL, "cprng_late");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, cpumask_last(cpu_online_mask));
	wake_up_process(thread);
	WRITE_ONCE(*hook, on_exit);
	symbol_put(cprng_test_hook);
	symbol_put(cprng_test_draw);
	return 0;
}
module_init(late_init);

/* Without an end: it stays until the machine goes. */
MODULE_DESCRIPTION("Tests of cprng.ko: a draw of which it does not know");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS(CPRNG_TEST_NAMESPACE);

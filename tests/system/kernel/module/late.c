/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cprng_late.ko: while cprng.ko is unloaded, a CPU disables interrupts and draws, so that the draw's request for a key
 * stays pending there long enough that cprng.ko would be gone if it did not wait.  With uses=1 it uses Fortuna instead,
 * whose request ends a rest.  When the module has ended it reports whether its secrets have been erased.
 * A dependency would keep the module loaded; so this looks up the module's functions and releases it.
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
static void (*use)(void);
static bool (*states_are_erased)(void), (*fortuna_is_erased)(void);

static bool uses;
module_param(uses, bool, 0);

static int keep_interrupts_off(void *arg)
{
	unsigned long flags;
	unsigned int i;

	wait_for_completion(&goes);
	local_irq_save(flags);
	if (uses)
		use();
	else
		(void)draw();
	smp_store_release(&has_drawn, true);
	for (i = 0; i < 10000; i++)
		udelay(100);
	local_irq_restore(flags);
	pr_info("cprng_late: interrupts are on again\n");
	return 0;
}

/* In rmmod; first before any part of the module has ended. */
static void on_exit(enum cprng_test_point point)
{
	switch (point) {
	case CPRNG_AT_EXIT:
		complete(&goes);
		while (!smp_load_acquire(&has_drawn))
			cond_resched();
		pr_info("cprng_late: it goes, and a request waits\n");
		break;
	case CPRNG_AT_STATES_ERASED:
		pr_info("cprng_late: states %s\n", states_are_erased() ? "erased" : "LEFT");
		break;
	case CPRNG_AT_FORTUNA_ERASED:
		pr_info("cprng_late: Fortuna %s\n", fortuna_is_erased() ? "erased" : "LEFT");
		break;
	default:
		break;
	}
}

static int __init late_init(void)
{
	void (**hook)(enum cprng_test_point point) = symbol_get(cprng_test_hook);
	struct task_struct *thread;

	draw = symbol_get(cprng_test_draw);
	use = symbol_get(cprng_test_use);
	states_are_erased = symbol_get(cprng_test_states_are_erased);
	fortuna_is_erased = symbol_get(cprng_test_fortuna_is_erased);
	if (hook == NULL || draw == NULL || use == NULL || states_are_erased == NULL || fortuna_is_erased == NULL)
		return -ENOENT;
	thread = kthread_create(keep_interrupts_off, NULL, "cprng_late");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, cpumask_last(cpu_online_mask));
	wake_up_process(thread);
	WRITE_ONCE(*hook, on_exit);
	symbol_put(cprng_test_hook);
	symbol_put(cprng_test_draw);
	symbol_put(cprng_test_use);
	symbol_put(cprng_test_states_are_erased);
	symbol_put(cprng_test_fortuna_is_erased);
	return 0;
}
module_init(late_init);

/* Never unloaded: it stays until the machine stops. */
MODULE_DESCRIPTION("Tests of cprng.ko: a draw of which it does not know");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS(CPRNG_TEST_NAMESPACE);

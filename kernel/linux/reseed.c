// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Replaces the CPUs' keys with 32 bytes of Fortuna and 32 of the kernel's generator, never in a
 * draw.  When a machine wakes, before anything else runs, it uses 32 bytes of Fortuna only.
 *
 * A draw that finds its key old raises an interrupt on its CPU (irq_work: takes no lock, works
 * under any lock and in NMIs). That interrupt runs when interrupts are on again, and queues work
 * for a worker, which may sleep.
 *
 * That draw still uses the old key.  So keys of CPUs that draw seldom, and of states that only NMIs
 * use, would be as old as the last draw: every ten seconds all keys are replaced.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "cpu/random_instructions.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

/* The age in milliseconds that the keys of online CPUs exceed by a moment at most. */
CPRNG_TUNABLE(renew_ms, 10000);

/* Serialises deliveries; taken under the CPU hotplug lock. */
static DEFINE_MUTEX(delivery);
static atomic_long_t generation;
/* Counts the renewals of all keys; under the same lock. */
static unsigned long renewals;

unsigned long cprng_generation(void)
{
	return atomic_long_read_acquire(&generation);
}

bool cprng_generation_changed(unsigned long since)
{
	/* The acquire above orders later accesses; this barrier orders earlier ones. */
	smp_rmb();
	return atomic_long_read(&generation) != since;
}

/*
 * Race: a request has taken an old key when the keys are replaced.  All keys are new before the
 * step, and after its output the request compares the generation and repeats with a new key.
 * Pairing: this release with smp_rmb() in cprng_generation_changed().
 */
static void step_generation(void)
{
	(void)atomic_long_inc_return_release(&generation);
}

static void renew(unsigned int cpu, unsigned int level)
{
	struct {
		u8 key[CPRNG_KEY_SIZE], other[CPRNG_KEY_SIZE];
	} k;
	unsigned long made_in;

	do {
		made_in = cprng_generation();
		cprng_fortuna_key(k.key, sizeof(k.key));
		get_random_bytes(k.other, sizeof(k.other));
		cprng_xor(k.key, k.other, sizeof(k.key));
	} while (!cprng_percpu_deliver_key(cpu, level, k.key, made_in));
	cprng_wipe(&k, sizeof(k));
}

static void renew_all(unsigned int cpu)
{
	unsigned int level;

	for (level = 0; level < CPRNG_LEVELS; level++)
		renew(cpu, level);
}

/* -------------------------------------------------------------------------- at a draw's request */

static void on_work(struct work_struct *work)
{
	unsigned int cpu, level;

	/* Reached only if a draw has asked. */
	cprng_fortuna_use();
	cpus_read_lock();
	mutex_lock(&delivery);
	for_each_online_cpu(cpu) {
		for (level = 0; level < CPRNG_LEVELS; level++) {
			if (cprng_percpu_wants(cpu, level))
				renew(cpu, level);
		}
	}
	mutex_unlock(&delivery);
	cpus_read_unlock();
}

static DECLARE_WORK(reseed_work, on_work);

/*
 * Not bound to a CPU: a CPU that a real-time thread occupies must not delay the other CPUs' keys.
 * Frozen before the machine sleeps, so that no delivery is in progress when on_wake() runs.
 */
static struct workqueue_struct *workers __ro_after_init;

static void on_interrupt(struct irq_work *work)
{
	queue_work(workers, &reseed_work);
}

/* Initialised at run time: pointers in a module's per-CPU data are not relocated. */
static DEFINE_PER_CPU(struct irq_work, interrupt);

static void request(void)
{
	irq_work_queue(this_cpu_ptr(&interrupt));
}
NOKPROBE_SYMBOL(request);

/* ------------------------------------------------------------------------- a machine's new life */

/*
 * After a clone or wake-up, other machines may have the same memory.  Time and cycle counter
 * distinguish them; words of the CPU's entropy source, if it has one, are also unknown to an
 * attacker.
 */
static noinline void seed_with_now(void)
{
	struct {
		u64 word[8];
		u64 time, cycles;
	} now = { { 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(now.word) && cprng_word_of_cpu(&now.word[i]); i++)
		;
	now.time = ktime_get_real_ns();
	now.cycles = cprng_cpu_cycles();
	cprng_fortuna_seed(&now, sizeof(now));
	cprng_wipe(&now, sizeof(now));
}

static void renew_online(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		renew_all(cpu);
}

/*
 * The kernel reseeds its generator before it reports a clone (drivers/char/random.c), so its bytes
 * are unique to this machine.
 */
static void begin_generation(void)
{
	seed_with_now();
	cprng_fortuna_seed_with_kernel();
	cpus_read_lock();
	mutex_lock(&delivery);
	renew_online();
	step_generation();
	mutex_unlock(&delivery);
	cpus_read_unlock();
}

static int on_clone(struct notifier_block *nb, unsigned long action, void *data)
{
	begin_generation();
	return NOTIFY_DONE;
}

static struct notifier_block clone_notifier = { .notifier_call = on_clone };

/*
 * The machine wakes from memory or from an image, which may have been resumed before.  Interrupts
 * are off; usually this is the only CPU that is up, and the others get their keys when they come
 * up.  A Xen guest keeps the other CPUs up, stopped with interrupts off (drivers/xen/manage.c).
 * Programs are frozen; the clock already runs, since it was registered earlier.  The kernel's
 * generator still has the image's state, and is of no use.
 */
static void on_wake(CPRNG_SYSCORE_ARGUMENT)
{
	const unsigned long made_in = cprng_generation();
	u8 key[CPRNG_KEY_SIZE];
	unsigned int cpu, level;

	seed_with_now();
	for_each_online_cpu(cpu) {
		for (level = 0; level < CPRNG_LEVELS; level++) {
			cprng_fortuna_key(key, sizeof(key));
			(void)cprng_percpu_deliver_key(cpu, level, key, made_in);
		}
	}
	cprng_wipe(key, sizeof(key));
	step_generation();
}

static CPRNG_SYSCORE_CONST struct syscore_ops wake_ops = { .resume = on_wake };
static struct syscore wake = { .ops = &wake_ops };

/*
 * Programs run again.  Replace the keys again, with the entropy that the kernel's generator has
 * gathered by now.  This also covers suspend-to-idle, where on_wake() is not called.
 */
static int on_power(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		begin_generation();
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = { .notifier_call = on_power };

/* ---------------------------------------------------------------------------- all keys, by time */

/*
 * Mix time, cycles and the CPU's random words into Fortuna first, so that two clones without a
 * notification diverge here.
 */
static void on_renewal(struct work_struct *work)
{
	seed_with_now();
	cpus_read_lock();
	mutex_lock(&delivery);
	renew_online();
	WRITE_ONCE(renewals, renewals + 1);
	mutex_unlock(&delivery);
	cpus_read_unlock();
	queue_delayed_work(workers, to_delayed_work(work), msecs_to_jiffies(renew_ms));
}

static DECLARE_DELAYED_WORK(renewal, on_renewal);

void cprng_reseed_show(struct seq_file *m)
{
	seq_printf(m, "generation %lu\nrenewals %lu\n", cprng_generation(), READ_ONCE(renewals));
}

/* ----------------------------------------------------------------------------- CPUs come and go */

static enum cpuhp_state hotplug __ro_after_init;

/* Runs before the CPU executes any other code. */
static int on_prepare(unsigned int cpu)
{
	mutex_lock(&delivery);
	renew_all(cpu);
	mutex_unlock(&delivery);
	return 0;
}

/* Runs after the CPU has stopped. */
static int on_dead(unsigned int cpu)
{
	mutex_lock(&delivery);
	cprng_percpu_erase(cpu);
	mutex_unlock(&delivery);
	return 0;
}

int __init cprng_reseed_init(void)
{
	struct irq_work *work;
	unsigned int cpu;
	int r;

	for_each_possible_cpu(cpu) {
		work = per_cpu_ptr(&interrupt, cpu);
		*work = IRQ_WORK_INIT_HARD(on_interrupt);
	}
	workers = alloc_workqueue("cprng", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!workers)
		return -ENOMEM;
	r = cprng_percpu_init(request);
	if (r != 0)
		goto no_memory;
	/* Also calls on_prepare() for the CPUs that are already up. */
	r = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "cprng:prepare", on_prepare, on_dead);
	if (r < 0)
		goto no_hotplug;
	hotplug = r;
	r = register_pm_notifier(&power_notifier);
	if (r != 0)
		goto no_power;
	r = register_random_vmfork_notifier(&clone_notifier);
	if (r != 0)
		goto no_clone;
	register_syscore(&wake);
	queue_delayed_work(workers, &renewal, msecs_to_jiffies(renew_ms));
	return 0;
no_clone:
	unregister_pm_notifier(&power_notifier);
no_power:
	cpuhp_remove_state_nocalls(hotplug);
no_hotplug:
	cprng_percpu_exit();
no_memory:
	destroy_workqueue(workers);
	return r;
}

/* No draws happen any more. */
void cprng_reseed_exit(void)
{
	unsigned int cpu;

	/* Stop it first, since it queues itself. */
	cancel_delayed_work_sync(&renewal);
	unregister_syscore(&wake);
	unregister_random_vmfork_notifier(&clone_notifier);
	unregister_pm_notifier(&power_notifier);
	cpuhp_remove_state_nocalls(hotplug);
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&interrupt, cpu));
	/* Waits for queued work. */
	destroy_workqueue(workers);
	cprng_percpu_exit();
}

#ifdef CPRNG_KERNEL_TEST
/* ------------------------------------------------------------------------------------ for tests */

void cprng_test_renew(unsigned int cpu)
{
	mutex_lock(&delivery);
	renew_all(cpu);
	mutex_unlock(&delivery);
}
EXPORT_SYMBOL_NS_GPL(cprng_test_renew, CPRNG_TEST_NAMESPACE);

void cprng_test_seed_with_now(void)
{
	seed_with_now();
}
EXPORT_SYMBOL_NS_GPL(cprng_test_seed_with_now, CPRNG_TEST_NAMESPACE);

void cprng_test_clone(void)
{
	begin_generation();
}
EXPORT_SYMBOL_NS_GPL(cprng_test_clone, CPRNG_TEST_NAMESPACE);

void cprng_test_wake(void)
{
	on_wake(CPRNG_SYSCORE_NO_DATA);
}
EXPORT_SYMBOL_NS_GPL(cprng_test_wake, CPRNG_TEST_NAMESPACE);

void cprng_test_step_generation(void)
{
	step_generation();
}
EXPORT_SYMBOL_NS_GPL(cprng_test_step_generation, CPRNG_TEST_NAMESPACE);

unsigned long cprng_test_generation(void)
{
	return cprng_generation();
}
EXPORT_SYMBOL_NS_GPL(cprng_test_generation, CPRNG_TEST_NAMESPACE);
#endif

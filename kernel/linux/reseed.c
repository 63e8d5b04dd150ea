/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When keys of CPUs are replaced, and by what: 32 bytes of Fortuna and 32 of the kernel's generator, never in a draw.
 *
 * A draw that finds its key old raises an interrupt for itself (irq_work: no lock, from under any lock, from an NMI).  It
 * comes when interrupts are on again, and leaves the work to a worker, which may sleep.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "core/wipe.h"
#include "cpu/noise.h"
#include "kernel/linux/module.h"

/* One who posts; under the lock of CPU hotplug. */
static DEFINE_MUTEX(posting);
static unsigned long generation;

unsigned long cprng_generation(void)
{
	return smp_load_acquire(&generation);
}

static void renew(unsigned int cpu, unsigned int level)
{
	u8 key[CPRNG_KEY_SIZE], other[CPRNG_KEY_SIZE];
	size_t i;

	cprng_strong(key, sizeof(key));
	get_random_bytes(other, sizeof(other));
	for (i = 0; i < sizeof(key); i++)
		key[i] ^= other[i];
	cprng_percpu_post(cpu, level, key);
	cprng_wipe(key, sizeof(key));
	cprng_wipe(other, sizeof(other));
}

static void renew_all(unsigned int cpu)
{
	unsigned int level;

	for (level = 0; level < CPRNG_LEVELS; level++)
		renew(cpu, level);
}

/* ---------------------------------------------------------------------------------------------- at a draw's request */

static void on_work(struct work_struct *work)
{
	unsigned int cpu, level;

	cpus_read_lock();
	mutex_lock(&posting);
	for_each_online_cpu(cpu) for (level = 0; level < CPRNG_LEVELS; level++) if (cprng_percpu_wants(cpu, level))
		renew(cpu, level);
	mutex_unlock(&posting);
	cpus_read_unlock();
}

static DECLARE_WORK(reseed_work, on_work);

static void on_interrupt(struct irq_work *work)
{
	/* On no CPU in particular: one that is kept busy by a real-time thread must not keep all others from new keys. */
	queue_work(system_unbound_wq, &reseed_work);
}

/* Initialised by code: pointers in the per-CPU data of a module are not relocated. */
static DEFINE_PER_CPU(struct irq_work, interrupt);

static void request(void)
{
	irq_work_queue(this_cpu_ptr(&interrupt));
}

/* ---------------------------------------------------------------------------------------------- a machine's new life */

/*
 * After a clone of the machine, or its waking, there may be others with the same memory.  The kernel's generator comes
 * first to know of a clone (drivers/char/random.c), so that its bytes are this machine's alone.
 */
static void begin_generation(void)
{
	struct {
		u8 kernel[64];
		u64 time, cycles;
	} seed;
	unsigned int cpu;

	get_random_bytes(seed.kernel, sizeof(seed.kernel));
	seed.time = ktime_get_real_ns();
	seed.cycles = cprng_cpu_cycles();
	cprng_fortuna_seed(&seed, sizeof(seed));
	cprng_wipe(&seed, sizeof(seed));
	cpus_read_lock();
	mutex_lock(&posting);
	for_each_online_cpu(cpu) renew_all(cpu);
	/* Last: who is between key and output sees it, and begins again with the new key. */
	smp_store_release(&generation, generation + 1);
	mutex_unlock(&posting);
	cpus_read_unlock();
}

static int on_clone(struct notifier_block *nb, unsigned long action, void *data)
{
	begin_generation();
	return NOTIFY_DONE;
}

static struct notifier_block clone_notifier = { .notifier_call = on_clone };

/* A hibernated image can be resumed more than once, too. */
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

/* ---------------------------------------------------------------------------------------------- CPUs come and go */

static enum cpuhp_state hotplug;

/* Before the CPU runs anything. */
static int on_prepare(unsigned int cpu)
{
	mutex_lock(&posting);
	renew_all(cpu);
	mutex_unlock(&posting);
	return 0;
}

/* After it has run its last. */
static int on_dead(unsigned int cpu)
{
	mutex_lock(&posting);
	cprng_percpu_erase(cpu);
	mutex_unlock(&posting);
	return 0;
}

int cprng_reseed_init(void)
{
	u8 seed[64];
	unsigned int cpu;
	int r;

	for_each_possible_cpu(cpu) * per_cpu_ptr(&interrupt, cpu) = IRQ_WORK_INIT_HARD(on_interrupt);
	get_random_bytes(seed, sizeof(seed));
	cprng_fortuna_seed(seed, sizeof(seed));
	cprng_wipe(seed, sizeof(seed));
	r = cprng_percpu_init(request);
	if (r != 0)
		return r;
	/* For the CPUs that are there at once, too. */
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
	return 0;
no_clone:
	unregister_pm_notifier(&power_notifier);
no_power:
	cpuhp_remove_state_nocalls(hotplug);
no_hotplug:
	cprng_percpu_exit();
	return r;
}

/* Nobody draws any more. */
void cprng_reseed_exit(void)
{
	unsigned int cpu;

	unregister_random_vmfork_notifier(&clone_notifier);
	unregister_pm_notifier(&power_notifier);
	cpuhp_remove_state_nocalls(hotplug);
	for_each_possible_cpu(cpu) irq_work_sync(per_cpu_ptr(&interrupt, cpu));
	cancel_work_sync(&reseed_work);
	cprng_percpu_exit();
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Events in the life of keys, triggered by the module's test functions.
 *
 * `wake`, `clone`: the machine wakes with all its CPUs running, or is a clone: did every state of every CPU receive a
 * key, and was the generation stepped after that?
 * `again`: how often a request is repeated when the generation steps during it, by kind of request.
 * `reading`: a key is delivered while a draw reads the previous one, and read while another is delivered.
 * `limit`: is a young key replaced after the limit of refills?
 * `lain`: does a key age in its cell?
 * `stale`: is a key remade when the generation steps before its delivery?
 * `timer`: a use of Fortuna ends the rest during the timer's interrupt.
 * `frozen`: are keys left alone when everything is frozen before the machine sleeps?  Read after its sleep;
 * `before_sleep` begins it.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "kernel/linux/compat.h"
#include "kernel/linux/cprng.h"
#include "kernel/linux/module.h"
#include "tests/system/kernel/module/test.h"

/* As in kernel/linux/percpu.c. */
enum { PENDING_EMPTY, PENDING_READING, PENDING_FULL };

/* ------------------------------------------------------------------------------------------------ a new generation */

static unsigned long deliveries, deliveries_after_step, generation_before;
static struct task_struct *watched;

static void on_post(enum cprng_test_point point)
{
	if (point != CPRNG_AT_DELIVERY || current != watched)
		return;
	deliveries++;
	deliveries_after_step += cprng_test_generation() != generation_before;
}

/* The cells' contents, to see which of them have received a key. */
enum { CELLS = 64 };
static u32 cell[CELLS];

/* Counts the full cells that changed since the last call. */
static unsigned int count_new_keys(void)
{
	struct cprng_test_level seen;
	unsigned int cpu, level, i = 0, count = 0;
	u32 hash;

	for_each_online_cpu(cpu)
	{
		for (level = 0; level < CPRNG_LEVELS && i < CELLS; level++, i++) {
			cprng_test_look(cpu, level, &seen);
			hash = jhash(seen.pending, seen.pending_size, 0);
			count += seen.pending_state >= PENDING_FULL && hash != cell[i];
			cell[i] = hash;
		}
	}
	return count;
}

static unsigned int new_keys;

/* All other CPUs are stopped, so that no key is taken from its cell. */
static int wake_stopped(void *arg)
{
	(void)count_new_keys();
	cprng_test_wake();
	new_keys = count_new_keys();
	return 0;
}

static void print_generation(struct seq_file *m, unsigned long keys)
{
	seq_printf(m, "steps %lu, keys %lu of %u, delivered after the step %lu\n",
		   cprng_test_generation() - generation_before, keys, num_online_cpus() * CPRNG_LEVELS,
		   deliveries_after_step);
}

static void wake_show(struct seq_file *m)
{
	generation_before = cprng_test_generation();
	deliveries_after_step = 0;
	stop_machine(wake_stopped, NULL, NULL);
	print_generation(m, new_keys);
}

static void clone_show(struct seq_file *m)
{
	deliveries = 0;
	deliveries_after_step = 0;
	generation_before = cprng_test_generation();
	watched = current;
	WRITE_ONCE(cprng_test_hook, on_post);
	cprng_test_clone();
	WRITE_ONCE(cprng_test_hook, NULL);
	print_generation(m, deliveries);
}

/* ------------------------------------------------------------------------------------------------ made again */

static enum cprng_test_point stepping_at;
static unsigned int times;

static void on_middle(enum cprng_test_point point)
{
	if (point == stepping_at && current == watched && times++ == 0)
		cprng_test_step_generation();
}

static void begin_steps(enum cprng_test_point point)
{
	stepping_at = point;
	times = 0;
	watched = current;
	WRITE_ONCE(cprng_test_hook, on_middle);
}

static void end_steps(struct seq_file *m, const char *what)
{
	WRITE_ONCE(cprng_test_hook, NULL);
	seq_printf(m, "%s: made %u times\n", what, times);
}

static void again_show(struct seq_file *m)
{
	struct file *device = filp_open("/dev/cprng", O_RDONLY, 0);
	static u8 bytes[4096];
	loff_t pos = 0;

	begin_steps(CPRNG_AT_LONG);
	cprng_fast(bytes, sizeof(bytes));
	end_steps(m, "long request");
	begin_steps(CPRNG_AT_STRONG);
	cprng_strong(bytes, 64);
	end_steps(m, "strong request");
	if (!IS_ERR(device)) {
		begin_steps(CPRNG_AT_STRONG);
		(void)kernel_read(device, bytes, sizeof(bytes), &pos);
		end_steps(m, "device read");
		filp_close(device, NULL);
	}
}

/* ------------------------------------------------------------------------------------------------ while a draw reads */

static unsigned int reader;
static bool has_begun_reading, has_begun_delivery, was_kept;

static void on_reading(enum cprng_test_point point)
{
	struct cprng_test_level seen;
	static u8 pending[256];
	unsigned int i;

	if (point == CPRNG_AT_DELIVERY && current == watched)
		smp_store_release(&has_begun_delivery, true);
	if (point != CPRNG_AT_READING || raw_smp_processor_id() != reader || has_begun_reading)
		return;
	cprng_test_look(reader, 0, &seen);
	memcpy(pending, seen.pending, seen.pending_size);
	smp_store_release(&has_begun_reading, true);
	while (!smp_load_acquire(&has_begun_delivery))
		cpu_relax();
	/* Long enough that a delivery that does not wait is complete. */
	for (i = 0; i < 200; i++)
		udelay(100);
	cprng_test_look(reader, 0, &seen);
	was_kept = seen.pending_state == PENDING_READING && memcmp(pending, seen.pending, seen.pending_size) == 0;
}

/* A draw on the CPU that delivers to itself, like an NMI: it takes the earlier key. */
static u64 taken;

static void on_writing(enum cprng_test_point point)
{
	struct cprng_test_level seen;
	u64 before;

	if (point != CPRNG_AT_WRITING || current != watched)
		return;
	watched = NULL;
	cprng_test_look(reader, 0, &seen);
	before = seen.reseeds;
	(void)cprng_fast64();
	cprng_test_look(reader, 0, &seen);
	taken = seen.reseeds - before;
}

static void draw_there(void *arg)
{
	(void)cprng_fast64();
}

static void reading_show(struct seq_file *m)
{
	struct cprng_test_level seen;

	cpus_read_lock();
	migrate_disable();
	reader = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	has_begun_reading = false;
	has_begun_delivery = false;
	was_kept = false;
	watched = NULL;
	cprng_test_renew(reader);
	WRITE_ONCE(cprng_test_hook, on_reading);
	smp_call_function_single(reader, draw_there, NULL, 0);
	while (!smp_load_acquire(&has_begun_reading))
		cpu_relax();
	watched = current;
	cprng_test_renew(reader);
	WRITE_ONCE(cprng_test_hook, NULL);
	cprng_test_look(reader, 0, &seen);
	seq_printf(m, "what is read is %s, the next key is %s\n", was_kept ? "kept" : "OVERWRITTEN",
		   seen.pending_state >= PENDING_FULL ? "there" : "LOST");

	/* The first delivery goes to the level that draws use. */
	reader = raw_smp_processor_id();
	taken = 0;
	cprng_test_renew(reader);
	watched = current;
	WRITE_ONCE(cprng_test_hook, on_writing);
	cprng_test_renew(reader);
	WRITE_ONCE(cprng_test_hook, NULL);
	cprng_test_look(reader, 0, &seen);
	seq_printf(m, "while it is written %llu is taken, the next key is %s\n", taken,
		   seen.pending_state >= PENDING_FULL ? "there" : "LOST");
	migrate_enable();
	cpus_read_unlock();
}

/* ------------------------------------------------------------------------------------------------ refills of a key */

/* Refills of 96 bytes, in requests of 64. */
static void draw_refills(unsigned int refills)
{
	u8 bytes[64];
	unsigned int i;

	for (i = 0; i < refills * 3 / 2; i++)
		cprng_fast(bytes, sizeof(bytes));
}

static void limit_show(struct seq_file *m)
{
	struct cprng_test_level seen;
	unsigned int turn;
	u64 before;

	migrate_disable();
	/* Takes the key that is already present. */
	(void)cprng_fast64();
	cprng_test_look(raw_smp_processor_id(), 0, &seen);
	before = seen.reseeds;
	/* The worker runs at some time; without the limit it is never requested. */
	for (turn = 0; turn < 2000 && seen.reseeds == before; turn++) {
		draw_refills(turn < 2 ? 4096 : 1);
		msleep(10);
		cprng_test_look(raw_smp_processor_id(), 0, &seen);
	}
	seq_printf(m, "replaced %llu\n", seen.reseeds - before);
	migrate_enable();
}

/* A key that lay in its cell longer than a key's lifetime is replaced after the first draw with it. */
static void lain_show(struct seq_file *m)
{
	struct cprng_test_level seen;
	unsigned int turn;

	migrate_disable();
	cprng_test_renew(raw_smp_processor_id());
	msleep(1500);
	(void)cprng_fast64();
	cprng_test_look(raw_smp_processor_id(), 0, &seen);
	for (turn = 0; turn < 2000 && seen.pending_state != PENDING_FULL && seen.pending_state != PENDING_FULL + 1;
	     turn++) {
		msleep(10);
		cprng_test_look(raw_smp_processor_id(), 0, &seen);
	}
	seq_printf(m, "after a key that lay %s\n",
		   seen.pending_state >= PENDING_FULL ? "the next is there" : "NONE COMES");
	migrate_enable();
}

/* The machine is cloned or wakes between a key's creation and its delivery. */
static void on_first_post(enum cprng_test_point point)
{
	if (point == CPRNG_AT_DELIVERY && current == watched && deliveries++ == 0)
		cprng_test_step_generation();
}

static void stale_show(struct seq_file *m)
{
	deliveries = 0;
	watched = current;
	WRITE_ONCE(cprng_test_hook, on_first_post);
	migrate_disable();
	cprng_test_renew(raw_smp_processor_id());
	migrate_enable();
	WRITE_ONCE(cprng_test_hook, NULL);
	seq_printf(m, "keys made again %lu\n", deliveries - CPRNG_LEVELS);
}

/* ------------------------------------------------------------------------------------------------ the timer */

static DECLARE_COMPLETION(restarted);

static void on_fortuna_timer(enum cprng_test_point point)
{
	if (point != CPRNG_AT_TIMER)
		return;
	WRITE_ONCE(cprng_test_hook, NULL);
	cprng_test_end_rest();
	complete(&restarted);
}

static void timer_show(struct seq_file *m)
{
	reinit_completion(&restarted);
	WRITE_ONCE(cprng_test_hook, on_fortuna_timer);
	wait_for_completion(&restarted);
	seq_puts(m, "started in its own interrupt\n");
}

/* ------------------------------------------------------------------------------------------------ before sleep */

/* Its device is suspended after all threads and workqueues are frozen, and before anything else. */
static bool is_asleep;
static struct platform_device *sleeper;
static struct hrtimer drawer;
static unsigned int draws_asleep;
static u64 reseeds_first, reseeds_last;

static int on_sleep(struct device *device)
{
	WRITE_ONCE(is_asleep, true);
	return 0;
}

static int on_end_of_sleep(struct device *device)
{
	WRITE_ONCE(is_asleep, false);
	return 0;
}

static const struct dev_pm_ops sleeper_pm = { .suspend = on_sleep, .resume = on_end_of_sleep };
static struct platform_driver sleeper_driver = { .driver = { .name = "cprng_sleeper", .pm = &sleeper_pm } };

static u64 sum_of_posts(void)
{
	struct cprng_test_level seen;
	unsigned int cpu, level;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
	{
		for (level = 0; level < CPRNG_LEVELS; level++) {
			cprng_test_look(cpu, level, &seen);
			sum += seen.reseeds;
		}
	}
	return sum;
}

/* With reseed_ms=0 each draw requests a key, and takes the delivered one: the first draw takes the earlier key. */
static enum hrtimer_restart on_drawer(struct hrtimer *timer)
{
	const bool was_asleep = READ_ONCE(is_asleep);

	(void)cprng_fast64();
	if (was_asleep && READ_ONCE(is_asleep)) {
		reseeds_last = sum_of_posts();
		if (draws_asleep++ == 0)
			reseeds_first = reseeds_last;
	}
	hrtimer_forward_now(timer, ns_to_ktime(5 * NSEC_PER_MSEC));
	return HRTIMER_RESTART;
}

static void before_sleep_show(struct seq_file *m)
{
	if (platform_driver_register(&sleeper_driver) != 0)
		return;
	sleeper = platform_device_register_simple("cprng_sleeper", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(sleeper)) {
		platform_driver_unregister(&sleeper_driver);
		return;
	}
	hrtimer_setup(&drawer, on_drawer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&drawer, 0, HRTIMER_MODE_REL_PINNED_HARD);
	seq_puts(m, "drawing\n");
}

static void frozen_show(struct seq_file *m)
{
	hrtimer_cancel(&drawer);
	platform_device_unregister(sleeper);
	platform_driver_unregister(&sleeper_driver);
	seq_printf(m, "%s, keys delivered meanwhile %llu\n", draws_asleep > 1 ? "asleep" : "NEVER ASLEEP",
		   reseeds_last - reseeds_first);
}

void cprng_life_init(struct dentry *directory)
{
	cprng_test_file(directory, "wake", wake_show);
	cprng_test_file(directory, "clone", clone_show);
	cprng_test_file(directory, "again", again_show);
	cprng_test_file(directory, "reading", reading_show);
	cprng_test_file(directory, "limit", limit_show);
	cprng_test_file(directory, "lain", lain_show);
	cprng_test_file(directory, "stale", stale_show);
	cprng_test_file(directory, "timer", timer_show);
	cprng_test_file(directory, "before_sleep", before_sleep_show);
	cprng_test_file(directory, "frozen", frozen_show);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Concurrent draws from every context: on each CPU a thread, and timers in softirq and hard interrupt context, which
 * interrupt the thread's draws and each other's; and NMIs when the host sends them.
 *
 * Reading `race` runs a race and returns the number of words that each context drew; `words` has all of them.  Requests are whole
 * words, so that every word has the same alignment in its source: a byte served twice shows as a repeated word, and draws that
 * overlap by 4 bytes as repeated halves.  Among 2^21 words of 64 bits some are equal by chance once in 2^23 runs.
 *
 * Reading `queue` holds Fortuna's locks until readers wait, and interrupts those of them that do not wait for the locks themselves.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/nmi.h>

#include "kernel/linux/compat.h"
#include "kernel/linux/cprng.h"
#include "kernel/linux/testing.h"
#include "tests/system/kernel/module/test.h"

enum context { PROCESS, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };

static const char *const names[CONTEXTS] = { "process", "softirq", "hardirq", "nmi" };

/* Words per CPU.  The host sends NMIs at any rate, and the race does not wait for their log to be full. */
static const size_t sizes[CONTEXTS] = { 1 << 18, 1 << 16, 1 << 16, 1 << 14 };

/* Words at once: eight times the largest draw with interrupts off. */
enum { REQUEST_MAX = 64 };

/* One writer each: a thread, a timer, a CPU's NMIs. */
struct log {
	u64 *word;
	size_t count, size;
	unsigned int turn;
};

struct racer {
	struct log log[CONTEXTS];
	struct hrtimer soft, hard;
	struct task_struct *thread;
};

static DEFINE_PER_CPU(struct racer, racers);
static DEFINE_MUTEX(race_lock);
static atomic_t running;
static DECLARE_COMPLETION(finished);
static bool nmis_draw;
static atomic_t answers;
static DEFINE_PER_CPU(call_single_data_t, calls);
/* What the last locked request on a CPU does, once one was seen. */
enum state { UNKNOWN, READING, FINISHED };
static DEFINE_PER_CPU(enum state, state);

/* Sizes in turn, through every function.  False when the log is full. */
static bool request(struct log *log)
{
	const unsigned int turn = log->turn++;
	const size_t n = 1 + turn / 3 % REQUEST_MAX;
	u64 *out = log->word + log->count;

	if (log->size - log->count < REQUEST_MAX)
		return false;
	switch (turn % 3) {
	case 0:
		cprng_strong(out, n * sizeof(u64));
		log->count += n;
		break;
	case 1:
		cprng_fast(out, n * sizeof(u64));
		log->count += n;
		break;
	default:
		out[0] = cprng_fast64();
		out[1] = (u64)cprng_fast32() << 32;
		out[1] |= cprng_fast32();
		log->count += 2;
	}
	return true;
}

static void one_is_done(void)
{
	if (atomic_dec_and_test(&running))
		complete(&finished);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer, struct log *log)
{
	if (!request(log)) {
		one_is_done();
		return HRTIMER_NORESTART;
	}
	/* Irregular, so that they interrupt the thread at different places. */
	hrtimer_forward_now(timer, ns_to_ktime(20000 + cprng_uniform32(40000)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart on_soft(struct hrtimer *timer)
{
	return on_timer(timer, &container_of(timer, struct racer, soft)->log[SOFTIRQ]);
}

static enum hrtimer_restart on_hard(struct hrtimer *timer)
{
	WARN_ON_ONCE(!in_hardirq());
	return on_timer(timer, &container_of(timer, struct racer, hard)->log[HARDIRQ]);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (READ_ONCE(nmis_draw))
		request(&this_cpu_ptr(&racers)->log[NMI]);
	return NMI_HANDLED;
}

/* Preemptible, with bottom halves off, with interrupts off. */
static int run_thread(void *arg)
{
	struct racer *r = arg;
	struct log *log = &r->log[PROCESS];
	unsigned long flags;
	bool more = true;

	hrtimer_setup(&r->soft, on_soft, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_setup(&r->hard, on_hard, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&r->soft, ns_to_ktime(20000), HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_start(&r->hard, ns_to_ktime(20000), HRTIMER_MODE_REL_PINNED_HARD);
	while (more) {
		request(log);
		local_bh_disable();
		request(log);
		local_bh_enable();
		local_irq_save(flags);
		more = request(log);
		local_irq_restore(flags);
		cond_resched();
	}
	one_is_done();
	/* The caller of kthread_create() stops it. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void race(void)
{
	unsigned int cpu, c;
	struct racer *r;

	reinit_completion(&finished);
	/* One for this function, which starts them. */
	atomic_set(&running, 1);
	for_each_possible_cpu(cpu)
	{
		for (c = 0; c < CONTEXTS; c++)
			per_cpu_ptr(&racers, cpu)->log[c].count = 0;
	}
	WRITE_ONCE(nmis_draw, true);
	cpus_read_lock();
	for_each_possible_cpu(cpu)
	{
		r = per_cpu_ptr(&racers, cpu);
		r->thread = NULL;
		if (!cpu_online(cpu))
			continue;
		r->thread = kthread_create(run_thread, r, "cprng_race/%u", cpu);
		if (IS_ERR(r->thread)) {
			r->thread = NULL;
			continue;
		}
		/* Not kthread_create_on_cpu(): such a thread must be parked before its CPU goes offline. */
		kthread_bind(r->thread, cpu);
		atomic_add(3, &running);
		wake_up_process(r->thread);
	}
	cpus_read_unlock();
	/* The host waits for this before it sends NMIs. */
	pr_info("cprng_test: racing\n");
	one_is_done();
	wait_for_completion(&finished);
	WRITE_ONCE(nmis_draw, false);
	for_each_possible_cpu(cpu)
	{
		r = per_cpu_ptr(&racers, cpu);
		if (r->thread == NULL)
			continue;
		hrtimer_cancel(&r->soft);
		hrtimer_cancel(&r->hard);
		kthread_stop(r->thread);
	}
}

static void race_show(struct seq_file *m)
{
	unsigned int cpu, c;
	size_t sum;

	mutex_lock(&race_lock);
	race();
	for (c = 0; c < CONTEXTS; c++) {
		sum = 0;
		for_each_possible_cpu(cpu) sum += per_cpu_ptr(&racers, cpu)->log[c].count;
		seq_printf(m, "%s %zu\n", names[c], sum);
	}
	mutex_unlock(&race_lock);
}

static void on_reading(enum cprng_test_point point)
{
	if (point == CPRNG_AT_QUEUE)
		this_cpu_write(state, READING);
	else if (point == CPRNG_AT_STRONG)
		this_cpu_write(state, FINISHED);
}

static unsigned int count_unknown(void)
{
	unsigned int cpu, count = 0;

	for_each_online_cpu(cpu) count += READ_ONCE(*per_cpu_ptr(&state, cpu)) == UNKNOWN;
	return count;
}

static void answer(void *unused)
{
	atomic_inc(&answers);
}

/* The CPUs that wait for the generator's lock, and the readers on others. */
static void count_readers(unsigned int *waiting, unsigned int *queued)
{
	unsigned int cpu;

	*waiting = *queued = 0;
	for_each_online_cpu(cpu)
	{
		if (cprng_test_is_in_generator(cpu))
			(*waiting)++;
		else
			*queued += READ_ONCE(*per_cpu_ptr(&state, cpu)) == READING;
	}
	/* This one has it. */
	(*waiting)--;
}

/*
 * Turns of waiting, ten thousand times as many as others need, and seconds of this CPU's own work: a host that emulates the CPUs in
 * turn has run each of them by then, and one that has not answered an interrupt has them off.
 */
enum { TURNS = 1 << 24 };

/* The pools' lock keeps the harvest thread away from the generator's: it waits, too, with interrupts on. */
static void queue_show(struct seq_file *m)
{
	unsigned int cpu, turns, waiting, queued, asked = 0, answered;

	atomic_set(&answers, 0);
	for_each_online_cpu(cpu) WRITE_ONCE(*per_cpu_ptr(&state, cpu), UNKNOWN);
	WRITE_ONCE(cprng_test_hook, on_reading);
	/* This CPU's reader need not run. */
	for (turns = 0; turns < TURNS && count_unknown() > 1; turns++)
		cpu_relax();
	cprng_test_hold_locks(true);
	for (turns = 0; turns < TURNS; turns++) {
		count_readers(&waiting, &queued);
		if (waiting > 1 || (waiting == 1 && queued != 0))
			break;
		cpu_relax();
	}
	for_each_online_cpu(cpu)
	{
		if (cprng_test_is_in_generator(cpu))
			continue;
		INIT_CSD(per_cpu_ptr(&calls, cpu), answer, NULL);
		asked += smp_call_function_single_async(cpu, per_cpu_ptr(&calls, cpu)) == 0;
	}
	for (turns = 0; turns < TURNS && atomic_read(&answers) < asked; turns++)
		cpu_relax();
	answered = atomic_read(&answers);
	cprng_test_hold_locks(false);
	WRITE_ONCE(cprng_test_hook, NULL);
	while (atomic_read(&answers) < asked)
		cpu_relax();
	seq_printf(m, "%s queued, %u waiting, %u of %u answered\n", queued != 0 ? "some" : "none", waiting, answered,
		   asked);
}

/* The logs, one after another. */
static ssize_t words_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	unsigned int cpu, c;
	loff_t begin = *pos;
	ssize_t r = 0;
	struct log *l;

	mutex_lock(&race_lock);
	for_each_possible_cpu(cpu)
	{
		for (c = 0; c < CONTEXTS && r == 0; c++) {
			l = &per_cpu_ptr(&racers, cpu)->log[c];
			if (begin < l->count * sizeof(u64))
				r = simple_read_from_buffer(buf, len, &begin, l->word, l->count * sizeof(u64));
			else
				begin -= l->count * sizeof(u64);
		}
	}
	mutex_unlock(&race_lock);
	if (r > 0)
		*pos += r;
	return r;
}

static const struct file_operations words_fops = {
	.owner = THIS_MODULE,
	.read = words_read,
	.llseek = default_llseek,
};

static void free_logs(void)
{
	unsigned int cpu, c;

	for_each_possible_cpu(cpu)
	{
		for (c = 0; c < CONTEXTS; c++)
			vfree(per_cpu_ptr(&racers, cpu)->log[c].word);
	}
}

int cprng_race_init(struct dentry *directory)
{
	unsigned int cpu, c;
	struct log *l;
	int r;

	for_each_possible_cpu(cpu)
	{
		for (c = 0; c < CONTEXTS; c++) {
			l = &per_cpu_ptr(&racers, cpu)->log[c];
			l->size = sizes[c];
			l->word = vzalloc(array_size(l->size, sizeof(u64)));
			if (l->word == NULL) {
				free_logs();
				return -ENOMEM;
			}
		}
	}
	r = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "cprng_test");
	if (r != 0) {
		free_logs();
		return r;
	}
	cprng_test_file(directory, "race", race_show);
	cprng_test_file(directory, "queue", queue_show);
	debugfs_create_file("words", 0400, directory, NULL, &words_fops);
	return 0;
}

void cprng_race_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "cprng_test");
	free_logs();
}

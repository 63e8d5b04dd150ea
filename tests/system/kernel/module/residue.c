/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What calls leave behind, in `residue`: on the stack below the caller, in vector registers, in CPUs' buffers, and in
 * freed memory.  One line per place: its name, `clean` or `DIRTY`, and the number of affected calls.
 *
 * There are two kinds of evidence: known bytes, served or given; and, for bytes that are never served, 32 consecutive bytes that
 * look random, as a key does and a pointer, number or text does not.  These are searched for with interrupts off, since an
 * interrupt leaves the interrupted code's registers; where interrupts must be on, only evidence in a quarter of the calls counts.
 */
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <asm/fpu/api.h>

#include "core/buffer.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/cprng.h"
#include "kernel/linux/module.h"
#include "tests/system/kernel/module/test.h"

/* A reader of debugfs uses less than 4 KiB of the stack, which has 16. */
enum { STACK = 6144, WORDS = STACK / 8, CALLS = 40, SIZE_MAX_TRIED = 4096 };

static u64 residue[WORDS];
static u8 served[SIZE_MAX_TRIED];
static size_t served_size;

/* Inline and without a call, so that it uses nothing of that stack. */
static __always_inline void clear_stack(void)
{
	unsigned long count = WORDS, to;

	asm volatile("lea -%c[size](%%rsp), %[to]\n\trep stosq"
		     : [to] "=&D"(to), "+c"(count)
		     : "a"(0UL), [size] "i"(STACK)
		     : "memory");
}

static __always_inline void keep_stack(void)
{
	unsigned long count = WORDS, from, to = (unsigned long)residue;

	asm volatile("lea -%c[size](%%rsp), %[from]\n\trep movsq"
		     : [from] "=&S"(from), "+D"(to), "+c"(count)
		     : [size] "i"(STACK)
		     : "memory");
}

/* Neither a small number nor an address, and with about as many ones as zeros: all but one in a thousand random words. */
static bool looks_random(u64 x)
{
	const unsigned int top = x >> 48, ones = hweight64(x);

	return top != 0 && top != 0xffff && ones >= 19 && ones <= 45;
}

static bool has_random(const u64 *word, size_t count)
{
	size_t i, row = 0;

	for (i = 0; i < count; i++) {
		row = looks_random(word[i]) ? row + 1 : 0;
		/* 32 bytes of a key at any alignment to 4. */
		if (row == 3)
			return true;
	}
	return false;
}

/* Whether memory has eight consecutive served bytes; both are searched in steps of 4. */
static bool has_served(const void *memory, size_t size)
{
	const u8 *p = memory;
	size_t i, j;
	u64 word, known;

	for (i = 0; i + 8 <= size; i += 4) {
		memcpy(&word, p + i, 8);
		if (!looks_random(word))
			continue;
		for (j = 0; j + 8 <= served_size; j += 4) {
			memcpy(&known, served + j, 8);
			if (word == known)
				return true;
		}
	}
	return false;
}

static void print(struct seq_file *m, const char *what, unsigned int dirty, unsigned int allowed)
{
	seq_printf(m, "%s: %s, %u of %u\n", what, dirty > allowed ? "DIRTY" : "clean", dirty, CALLS);
}

/* ------------------------------------------------------------------------------------------------ interrupts off */

static void draw_short(size_t size)
{
	cprng_fast(served, size);
	served_size = size;
}

static void draw_strong(size_t size)
{
	cprng_strong(served, size);
	served_size = size;
}

/* Every other call refills the buffer. */
static void draw_refilling(size_t size)
{
	draw_short(56);
}

/* The case provides a new key for each call. */
static void draw_renewed(size_t size)
{
	draw_short(8);
}

static void add(size_t size)
{
	cprng_add_entropy(served, served_size);
}

/* With interrupts off, too: the work that a clone or a wake-up starts later would overwrite the remains. */
static void add_event(size_t size)
{
	cprng_fortuna_deal(served, served_size);
}

static const struct irq_off_case {
	const char *name;
	void (*call)(size_t size);
	size_t size;
	bool renews, stops;
	void (*act)(void); /* instead of call */
} cases[] = {
	{ "stack after 8 bytes", draw_short, 8 },
	{ "stack after a refill", draw_refilling, 56 },
	{ "stack after a new key", draw_renewed, 8, true },
	{ "stack after 64 bytes", draw_short, 64 },
	{ "stack after 65 bytes", draw_short, 65 },
	{ "stack after 256 bytes", draw_short, 256 },
	{ "stack after 4096 bytes", draw_short, 4096 },
	{ "stack after 4095 bytes", draw_short, 4095 },
	{ "stack after 32 strong bytes", draw_strong, 32 },
	{ "stack after 4096 strong bytes", draw_strong, 4096 },
	{ "stack after entropy was added", add, 0 },
	{ "stack after an event was added", add_event, 0 },
	{ "stack after a seed of here and now", .act = cprng_test_seed_with_now },
	{ "stack after the sources were asked", .act = cprng_test_ask_sources },
	{ "stack after a seed of the kernel", .act = cprng_fortuna_seed_with_kernel },
	{ "stack after a machine woke", .stops = true, .act = cprng_test_wake },
};

static unsigned int dirty_calls;

static noinline void call_once(const struct irq_off_case *c)
{
	clear_stack();
	if (c->act != NULL)
		c->act();
	else
		c->call(c->size);
	keep_stack();
	dirty_calls += has_random(residue, WORDS) || has_served(residue, STACK);
}

static int call_stopped(void *c)
{
	call_once(c);
	return 0;
}

static void try_case(struct seq_file *m, const struct irq_off_case *c)
{
	unsigned long flags;
	unsigned int i;

	dirty_calls = 0;
	for (i = 0; i < CALLS; i++) {
		migrate_disable();
		if (c->renews)
			cprng_test_renew(raw_smp_processor_id());
		if (c->stops) {
			stop_machine(call_stopped, (void *)c, NULL);
		} else {
			local_irq_save(flags);
			call_once(c);
			local_irq_restore(flags);
		}
		migrate_enable();
	}
	print(m, c->name, dirty_calls, 0);
}

/* ------------------------------------------------------------------------------------------------ interrupts on */

/* This many calls may have been interrupted with bytes in general registers, which are then on the stack. */
enum { ALLOWED = CALLS / 4 };

static void renew(struct file *file, size_t size)
{
	cprng_test_renew(raw_smp_processor_id());
	served_size = 0;
}

static void clone(struct file *file, size_t size)
{
	cprng_test_clone();
	served_size = 0;
}

static void read_file(struct file *file, size_t size)
{
	loff_t pos = 0;
	ssize_t n = kernel_read(file, served, size, &pos);

	served_size = n > 0 ? n : 0;
}

static void write_file(struct file *file, size_t size)
{
	loff_t pos = 0;

	cprng_fast(served, size);
	served_size = size;
	(void)kernel_write(file, served, size, &pos);
}

#define DEVICE "/dev/cprng"
#define ARANDOM "/proc/sys/kernel/cprng/arandom"

static const struct irq_on_case {
	const char *name;
	void (*call)(struct file *file, size_t size);
	const char *file;
	size_t size;
	bool is_text;
} calls[] = {
	{ "stack after a renewal", renew },
	{ "stack after a clone", clone },
	{ "stack after reading 8 bytes", read_file, DEVICE, 8 },
	{ "stack after reading 64 bytes", read_file, DEVICE, 64 },
	{ "stack after reading 256 bytes", read_file, DEVICE, 256 },
	{ "stack after reading 4096 bytes", read_file, DEVICE, 4096 },
	{ "stack after reading a sysctl", read_file, ARANDOM, 512, true },
	{ "stack after writing 256 bytes", write_file, DEVICE, 256 },
};

static noinline void call_and_keep(const struct irq_on_case *c, struct file *file)
{
	unsigned long flags;

	local_irq_save(flags);
	clear_stack();
	local_irq_restore(flags);
	c->call(file, c->size);
	local_irq_save(flags);
	keep_stack();
	local_irq_restore(flags);
}

static void try_call(struct seq_file *m, const struct irq_on_case *c)
{
	struct file *file = c->file != NULL ? filp_open(c->file, O_RDWR, 0) : NULL;
	unsigned int i, random = 0, known = 0;

	if (IS_ERR(file) && c->is_text)
		file = filp_open(c->file, O_RDONLY, 0);
	if (IS_ERR(file)) {
		seq_printf(m, "%s: NOT OPENED\n", c->name);
		return;
	}
	for (i = 0; i < CALLS; i++) {
		call_and_keep(c, file);
		random += has_random(residue, WORDS);
		/* Search for the bytes from which the text was made. */
		if (c->is_text && hex2bin(served, (char *)served, served_size / 2) == 0)
			served_size /= 2;
		known += has_served(residue, STACK);
		/* In a freed piece: the next object of that size is usually the same. */
		if (c->size == 4096) {
			u8 *freed = kmalloc(4096, GFP_KERNEL);

			known += freed != NULL && has_served(freed, 4096);
			kfree(freed);
		}
	}
	if (file != NULL)
		filp_close(file, NULL);
	print(m, c->name, max(known, random), ALLOWED);
}

/* ------------------------------------------------------------------------------------------------ other places */

static void try_registers(struct seq_file *m)
{
	static u64 registers[16 * 4] __aligned(32);
	unsigned int i, dirty = 0;

	for (i = 0; i < CALLS; i++) {
		preempt_disable();
		cprng_fast(served, 4096);
		served_size = 4096;
		kernel_fpu_begin();
#define STORE(n) "vmovdqa %%ymm" #n ", " #n "*32(%0)\n\t"
		asm volatile(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9)
				     STORE(10) STORE(11) STORE(12) STORE(13) STORE(14) STORE(15)
			     :
			     : "r"(registers)
			     : "memory");
		kernel_fpu_end();
		preempt_enable();
		dirty += has_random(registers, ARRAY_SIZE(registers)) || has_served(registers, sizeof(registers));
	}
	print(m, "vector registers", dirty, 0);
}

/* Without functions that KASAN instruments, which would report reads of another stack. */
static __always_inline void copy_words(u64 *to, const u64 *from, unsigned long count)
{
	asm volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

/* The thread that asks the sources, while asleep: the answers must be neither on its stack nor in the event buffer. */
static void try_thread(struct seq_file *m)
{
	static u64 copy[THREAD_SIZE / sizeof(u64)];
	unsigned int i, on_stack = 0, in_events = 0;
	struct task_struct *thread;
	const void *events;
	size_t size;
	u64 word;

	thread = cprng_test_thread(&events, &size);
	for (i = 0; i < CALLS; i++) {
		/* It has had a turn, and sleeps again. */
		cprng_strong(&word, sizeof(word));
		msleep(150);
		while (READ_ONCE(thread->__state) == TASK_RUNNING)
			msleep(1);
		copy_words(copy, task_stack_page(thread), ARRAY_SIZE(copy));
		on_stack += has_random(copy, ARRAY_SIZE(copy));
		in_events += has_random(events, size / sizeof(u64));
	}
	print(m, "stack of the thread", on_stack, ALLOWED);
	print(m, "answers of the sources", in_events, ALLOWED);
}

/* Served bytes are gone from the buffer; a taken key is gone from the cell. */
static bool buffer_is_clean(void)
{
	struct cprng_test_level seen;

	cprng_test_look(raw_smp_processor_id(), 0, &seen);
	return memchr_inv(seen.buffer->out + seen.buffer->left, 0, CPRNG_BUFFER_SIZE - seen.buffer->left) == NULL &&
	       (seen.pending_state != 0 || !has_random(seen.pending, seen.pending_size / sizeof(u64)));
}

/* A refill's key is nowhere in the following state. */
static bool key_is_replaced(void)
{
	u8 key[CPRNG_KEY_SIZE];
	struct cprng_test_level seen;
	unsigned int i;

	cprng_test_look(raw_smp_processor_id(), 0, &seen);
	memcpy(key, seen.buffer->key, sizeof(key));
	for (i = 0; i < 13; i++)
		cprng_fast(served, 8);
	return memcmp(key, seen.buffer->key, sizeof(key)) != 0;
}

static void try_buffers(struct seq_file *m)
{
	unsigned int i, dirty = 0, kept = 0;
	unsigned long flags;
	bool clean;

	for (i = 0; i < CALLS; i++) {
		migrate_disable();
		/* The second replaces the first. */
		if (i % 8 == 0)
			cprng_test_renew(raw_smp_processor_id());
		if (i % 16 == 0)
			cprng_test_renew(raw_smp_processor_id());
		local_irq_save(flags);
		cprng_fast(served, 1 + i % 64);
		clean = buffer_is_clean();
		kept += !key_is_replaced();
		local_irq_restore(flags);
		migrate_enable();
		dirty += !clean;
	}
	print(m, "buffer and pending key", dirty, 0);
	print(m, "key after a refill", kept, 0);
}

/* If this is clean, the results above mean nothing. */
static noinline void leave_random(size_t size)
{
	u64 word[4];

	cprng_fast(word, sizeof(word));
	asm volatile("" : : "r"(word) : "memory");
}

static void residue_show(struct seq_file *m)
{
	static const struct irq_off_case control = { "control", leave_random, 0 };
	unsigned int i;

	memset(served, 0, sizeof(served));
	served_size = 0;
	try_case(m, &control);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		try_case(m, &cases[i]);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		try_call(m, &calls[i]);
	try_registers(m);
	try_buffers(m);
	try_thread(m);
}

void cprng_residue_init(struct dentry *directory)
{
	cprng_test_file(directory, "residue", residue_show);
}

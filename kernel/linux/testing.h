/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* module.h includes this only in test builds (CPRNG_KERNEL_TEST). */
#ifndef CPRNG_KERNEL_LINUX_TESTING_H
#define CPRNG_KERNEL_LINUX_TESTING_H

#include <linux/compiler.h>
#include <linux/moduleparam.h>
#include <linux/types.h>

struct cprng_buffer;
struct module;
struct task_struct;

#define CPRNG_TUNABLE(name, value) \
	static unsigned int name = (value); \
	module_param(name, uint, 0600)

/* Parameters that make an operation fail. */
#define CPRNG_TEST_FAILS(name) READ_ONCE(name)

/* Places where a test may trigger a rare event. */
enum cprng_test_point {
	CPRNG_AT_REFILL,         /* a draw has taken its key out of the buffer */
	CPRNG_AT_READING,        /* a draw has begun to read the pending key */
	CPRNG_AT_LONG,           /* a long request has drawn its key */
	CPRNG_AT_QUEUE,          /* a locked reader is about to wait for its turn */
	CPRNG_AT_STRONG,         /* a request of Fortuna has all its bytes */
	CPRNG_AT_DELIVERY,       /* before a key is delivered */
	CPRNG_AT_WRITING,        /* a key is in its slot, and not yet delivered */
	CPRNG_AT_TIMER,          /* the timer of Fortuna's sources is about to be forwarded */
	CPRNG_AT_EXIT,           /* the module is about to be unloaded */
	CPRNG_AT_STATES_ERASED,  /* the states of all CPUs are about to be freed */
	CPRNG_AT_FORTUNA_ERASED, /* the module holds no more secrets */
};

extern void (*cprng_test_hook)(enum cprng_test_point point);

static inline void cprng_test_point(enum cprng_test_point point)
{
	void (*const hook)(enum cprng_test_point) = READ_ONCE(cprng_test_hook);

	if (hook)
		hook(point);
}

struct cprng_test_level {
	const struct cprng_buffer *buffer;
	const void *pending; /* all of it, keys included */
	size_t pending_size;
	u32 pending_state; /* as in percpu.c: 0 empty, 1 reading, more: full */
	u64 reseeds;
};

/* A draw on this CPU; returns the module. */
struct module *cprng_test_draw(void);
/* Use Fortuna on this CPU, as every draw from it does. */
void cprng_test_use(void);
/* Wake Fortuna's resting timer now, on this CPU. */
void cprng_test_end_rest(void);
/* Fortuna's locks, and whether a CPU has the generator's or waits for it. */
void cprng_test_hold_locks(bool hold);
bool cprng_test_is_in_generator(unsigned int cpu);
/* Whether all secrets are erased. */
bool cprng_test_states_are_erased(void);
bool cprng_test_fortuna_is_erased(void);
/* RDSEED, or the kernel's generator if the CPU lacks it and the parameter fake_rdseed is set. */
bool cprng_word_of_cpu(u64 *word);
/* The thread that polls the sources, and the memory that holds its events. */
void cprng_test_ask_sources(void);
struct task_struct *cprng_test_thread(const void **events, size_t *size);
void cprng_test_look(unsigned int cpu, unsigned int level, struct cprng_test_level *seen);

/* Events in a machine's life, simulated at once. */
void cprng_test_renew(unsigned int cpu); /* as when a CPU comes up */
void cprng_test_seed_with_now(void);
void cprng_test_clone(void); /* as when the hypervisor reports a clone */
void cprng_test_wake(void);  /* as when a machine wakes; the caller has stopped all CPUs */
void cprng_test_step_generation(void); /* only the number */
unsigned long cprng_test_generation(void);

#endif

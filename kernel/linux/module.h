/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the parts of the module see of each other. */
#ifndef CPRNG_KERNEL_LINUX_MODULE_H
#define CPRNG_KERNEL_LINUX_MODULE_H

#include <linux/types.h>

#include "core/port.h"
#include "engine/engine.h"
#include "fortuna/fortuna.h"
#include "kernel/linux/cprng.h"

struct seq_file;

enum { CPRNG_KEY_SIZE = 32 };

/*
 * What tests need: numbers that are parameters of the module, places where they look in (testing.h), and more exports.
 * None of it is in other builds.
 */
#ifdef CPRNG_KERNEL_TEST
#include "kernel/linux/testing.h"
#else
#define CPRNG_TUNABLE(name, value) enum { name = (value) }
#define cprng_test_point(point) ((void)0)
#define CPRNG_TEST_FAILS(name) false
#define cprng_word_of_cpu(word) cprng_cpu_seed(word)
#endif

/* ------------------------------------------------------------------------------------------------ cipher.c */

/*
 * ChaCha20 for any context: in vectors where the kernel allows them and there is enough to do, or else portable.  The
 * one backend that the module generates with.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/* Test every backend that this CPU can run, and choose.  -ENODEV, and a message, when one fails. */
int cprng_cipher_init(void);
void cprng_cipher_show(struct seq_file *m);

/* A key that is used once. */
void cprng_cipher_start(struct cprng_keystate *ks, const u8 key[CPRNG_KEY_SIZE]);
/* len bytes of the key, which the caller wipes. */
void cprng_cipher_expand(const u8 key[CPRNG_KEY_SIZE], u8 *out, size_t len);

/* ------------------------------------------------------------------------------------------------ percpu.c */

/* Memory for all possible CPUs, without keys. */
int cprng_percpu_init(void (*request_reseed)(void));
void cprng_percpu_exit(void);

/*
 * Leave a key for a CPU: its next draw mixes it into its own, and drops what was buffered.  One caller at a time, or
 * another one while all other CPUs are stopped with interrupts off.  False, and nothing left, when the generation is
 * another one than when the key was made.
 */
bool cprng_percpu_post(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE], unsigned long generation);
/* Has it asked for one?  Takes the request back. */
bool cprng_percpu_wants(unsigned int cpu, unsigned int level);
/* Of a CPU that runs no more. */
void cprng_percpu_erase(unsigned int cpu);

/*
 * The states of a CPU: one for a draw that interrupts none, and one for each draw inside of it.  An NMI, a machine check,
 * a breakpoint and a debug exception may each interrupt the others, which is five draws; probes and tracers, which do not
 * nest in each other, may be inside of any of them.
 */
enum { CPRNG_LEVELS = 8 };

struct cprng_percpu_counters {
	u64 refills, reseeds;
};
void cprng_percpu_count(unsigned int cpu, unsigned int level, struct cprng_percpu_counters *of);

/* ------------------------------------------------------------------------------------------------ fortuna.c */

int cprng_fortuna_init(bool locked_reads);
void cprng_fortuna_exit(void);
/* cprng_strong() for programs; process context, with interrupts on and no lock held. */
void cprng_fortuna_read(void *buf, size_t len);
/* cprng_strong() for the module's own keys, not in NMIs: does not count as use of Fortuna. */
void cprng_fortuna_key(void *buf, size_t len);
/* Fortuna is in use: from now on the sources are asked ten times a second.  Any context. */
void cprng_fortuna_use(void);
/* Deal events over the pools at once; process context, as above. */
void cprng_fortuna_deal(const void *buf, size_t len);
/* Into the key at once. */
void cprng_fortuna_seed(const void *seed, size_t len);
void cprng_fortuna_seed_with_kernel(void);
u32 *cprng_fortuna_locked_reads(void);
void cprng_fortuna_show(struct seq_file *m);

/* ------------------------------------------------------------------------------------------------ reseed.c */

int cprng_reseed_init(void);
void cprng_reseed_exit(void);

/* Stepped when the machine was cloned or wakes, after all keys are new.  What was made meanwhile is made again. */
unsigned long cprng_generation(void);
/* Has it been, after all that the caller has read? */
bool cprng_generation_changed(unsigned long since);
void cprng_reseed_show(struct seq_file *m);

/* ------------------------------------------------------------------------------------------------ the entrances */

int cprng_device_init(void);
void cprng_device_exit(void);
int cprng_sysctl_init(void);
void cprng_sysctl_exit(void);
void cprng_debug_init(void);
void cprng_debug_exit(void);
void cprng_bench_show(struct seq_file *m);

#endif

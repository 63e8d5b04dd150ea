/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The interfaces between the parts of the module. */
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
 * For builds of tests only: constants that are parameters of the module, hooks (testing.h), and more exports.
 */
#ifdef CPRNG_KERNEL_TEST
#include "kernel/linux/testing.h"
#else
#define CPRNG_TUNABLE(name, value) enum { name = (value) }
#define cprng_test_point(point) ((void)0)
#define CPRNG_TEST_FAILS(name) false
#define cprng_word_of_cpu(word) cprng_cpu_rdseed(word)
#endif

/* ------------------------------------------------------------------------------------------------ cipher.c */

/*
 * ChaCha20 for any context, by vector instructions where the kernel allows them and the request is long enough, or else
 * portable.  The only backend that the module generates with.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/* Test every backend that this CPU can run, and choose.  -ENODEV, and a message, when a test fails. */
int cprng_cipher_init(void);
void cprng_cipher_show(struct seq_file *m);

/* Expand a key that is used once. */
void cprng_cipher_start(struct cprng_keystate *ks, const u8 key[CPRNG_KEY_SIZE]);
/* Write len bytes from the key, which the caller wipes. */
void cprng_cipher_expand(const u8 key[CPRNG_KEY_SIZE], u8 *out, size_t len);

/* ------------------------------------------------------------------------------------------------ percpu.c */

/* Allocate states for all possible CPUs, without keys. */
int cprng_percpu_init(void (*request_reseed)(void));
void cprng_percpu_exit(void);

/*
 * Make a key pending for a state: the next draw there adds it to its key, and drops the buffered bytes.  One caller at a
 * time; a second one may call only while all other CPUs are stopped with interrupts off.  False, and nothing done, when
 * the generation has changed since the key was made.
 */
bool cprng_percpu_deliver_key(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE],
			      unsigned long generation);
/* Has the state asked for a key?  Clears the request. */
bool cprng_percpu_wants(unsigned int cpu, unsigned int level);
/* Erase the states of a CPU that does not run any more. */
void cprng_percpu_erase(unsigned int cpu);

/*
 * The states of a CPU: one for a draw that interrupts none, and one for each nested draw.  An NMI, a machine check, a
 * breakpoint and a debug exception may each interrupt the others, which makes five draws; probes and tracers, which do
 * not nest in each other, may be inside of any of these.
 */
enum { CPRNG_LEVELS = 8 };

struct cprng_percpu_counters {
	u64 refills, reseeds;
};
void cprng_percpu_count(unsigned int cpu, unsigned int level, struct cprng_percpu_counters *of);

/* ------------------------------------------------------------------------------------------------ fortuna.c */

int cprng_fortuna_init(bool locked_reads);
void cprng_fortuna_exit(void);
/* cprng_strong() for programs: process context, with interrupts on and no lock held. */
void cprng_fortuna_read(void *buf, size_t len);
/* cprng_strong() for the module's own keys, not in NMIs: does not count as use of Fortuna. */
void cprng_fortuna_key(void *buf, size_t len);
/* Fortuna is in use: from now on the sources are asked ten times a second.  Any context. */
void cprng_fortuna_use(void);
/* Add events to the pools at once; process context, as above. */
void cprng_fortuna_deal(const void *buf, size_t len);
/* Mix into the key at once. */
void cprng_fortuna_seed(const void *seed, size_t len);
void cprng_fortuna_seed_with_kernel(void);
u32 *cprng_fortuna_locked_reads(void);
void cprng_fortuna_show(struct seq_file *m);

/* ------------------------------------------------------------------------------------------------ reseed.c */

int cprng_reseed_init(void);
void cprng_reseed_exit(void);

/* Stepped when the machine was cloned or wakes, after all keys are new.  Output that was made meanwhile is made again. */
unsigned long cprng_generation(void);
/* Has it been stepped, as of after all that the caller has read? */
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

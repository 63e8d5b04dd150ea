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

/* Test builds only: constants become module parameters; hooks (testing.h), and more exports. */
#ifdef CPRNG_KERNEL_TEST
#include "kernel/linux/testing.h"
#else
#define CPRNG_TUNABLE(name, value) static const unsigned int name = (value)
#define cprng_test_point(point) ((void)0)
#define CPRNG_TEST_FAILS(name) false
#define cprng_word_of_cpu(word) cprng_cpu_rdseed(word)
#endif

/* ------------------------------------------------------------------------------------- cipher.c */

/*
 * ChaCha20 for any context: vector instructions if the kernel allows them and the request is long
 * enough, else portable code. The module generates with no other backend.
 */
extern const struct cprng_backend cprng_cipher;
const struct cprng_engine *cprng_cipher_engine(void);

/*
 * Test every backend that this CPU can run, and choose.  If a test fails, print a message and
 * return -ENODEV.
 */
int cprng_cipher_init(void);
void cprng_cipher_show(struct seq_file *m);

/*
 * src/cpu/registers_x86_64.c, renamed by Kbuild; call it only between kernel_fpu_begin() and
 * kernel_fpu_end().
 */
void cprng_clear_vector_registers(void);

/* Expand a one-time key. */
void cprng_cipher_start(struct cprng_keystate *ks, const u8 key[CPRNG_KEY_SIZE]);
/* Write len bytes from the key; the caller wipes the key. */
void cprng_cipher_expand(const u8 key[CPRNG_KEY_SIZE], u8 *out, size_t len);

/* ------------------------------------------------------------------------------------- percpu.c */

/* Allocate states for all possible CPUs, without keys. */
int cprng_percpu_init(void (*request_reseed)(void));
void cprng_percpu_exit(void);

/*
 * Make a key pending for a state: the state's next draw adds it to the current key and drops the
 * buffered bytes.  One caller at a time; a second may call only while all other CPUs are stopped
 * with interrupts off.  Returns false, and does nothing, if the generation has changed since the
 * key was made.
 */
bool cprng_percpu_deliver_key(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE],
			      unsigned long generation);
/* Whether the state has asked for a key; clears the request. */
bool cprng_percpu_wants(unsigned int cpu, unsigned int level);
/* Erase an offline CPU's states. */
void cprng_percpu_erase(unsigned int cpu);

/*
 * A CPU's states: one for a draw that interrupts no other, and one for each nested draw.  An NMI, a
 * machine check, a breakpoint and a debug exception may each interrupt the others, which makes five
 * draws; probes and tracers, which do not nest, may run inside any of these.
 */
enum { CPRNG_LEVELS = 8 };

struct cprng_percpu_counters {
	u64 refills, reseeds;
};

void cprng_percpu_count(unsigned int cpu, unsigned int level, struct cprng_percpu_counters *of);

/* ------------------------------------------------------------------------------------ fortuna.c */

int cprng_fortuna_init(bool locked_reads);
void cprng_fortuna_exit(void);
/* cprng_strong() for programs: process context, interrupts on, no lock held. */
void cprng_fortuna_read(void *buf, size_t len);
/* cprng_strong() for the module's own keys, not in NMIs; does not count as use of Fortuna. */
void cprng_fortuna_key(void *buf, size_t len);
/* Mark Fortuna as used: the sources are then read ten times a second.  Any context. */
void cprng_fortuna_use(void);
/* Add events to the pools at once; process context, interrupts on, no lock held. */
void cprng_fortuna_deal(const void *buf, size_t len);
/* Mix into the key at once. */
void cprng_fortuna_seed(const void *seed, size_t len);
void cprng_fortuna_seed_with_kernel(void);
u32 *cprng_fortuna_locked_reads(void);
void cprng_fortuna_show(struct seq_file *m);

/* ------------------------------------------------------------------------------------- reseed.c */

int cprng_reseed_init(void);
void cprng_reseed_exit(void);

/*
 * Stepped after all keys are replaced, when the machine was cloned or wakes.  Requests that overlap
 * the step repeat their output.
 */
unsigned long cprng_generation(void);
/* Whether it has been stepped, ordered after all of the caller's earlier reads. */
bool cprng_generation_changed(unsigned long since);
void cprng_reseed_show(struct seq_file *m);

/* -------------------------------------------------------------------------------- the entrances */

int cprng_device_init(void);
void cprng_device_exit(void);
int cprng_sysctl_init(void);
void cprng_sysctl_exit(void);
void cprng_debug_init(void);
void cprng_debug_exit(void);
void cprng_bench_show(struct seq_file *m);

#endif

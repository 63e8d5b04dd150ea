/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of FreeBSD's kernel that sys/dev/random uses, in a program: locks are the process's, a tunable is a row of a table.
 * build.py makes headers with FreeBSD's names that include this one.
 */
#ifndef FREEBSD_KERNEL_H
#define FREEBSD_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <endian.h>
#include <limits.h>
#include <pthread.h>
#include <sys/queue.h>

/* ---------------------------------------------------------------------------------------- sys/cdefs.h, sys/param.h */

#define __FBSDID(id) struct freebsd_id
#ifndef __unused
#define __unused __attribute__((unused))
#endif
#define __packed __attribute__((packed))
#define __weak_symbol __attribute__((weak))
#define __min_size(n) static(n)
#define __read_frequently
#define __predict_true(condition) __builtin_expect((condition), 1)
#define __predict_false(condition) __builtin_expect((condition), 0)
#define CTASSERT(condition) _Static_assert(condition, #condition)
#define PAGE_SIZE 4096
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define howmany(n, unit) (((n) + ((unit) - 1)) / (unit))
#define rounddown(n, unit) ((n) / (unit) * (unit))
#define nitems(array) (sizeof(array) / sizeof((array)[0]))

/* ---------------------------------------------------------------------------------------- sys/endian.h */

static inline uint32_t le32dec(const void *from)
{
	uint32_t x;

	memcpy(&x, from, sizeof(x));
	return le32toh(x);
}

static inline uint64_t le64dec(const void *from)
{
	uint64_t x;

	memcpy(&x, from, sizeof(x));
	return le64toh(x);
}

static inline void le32enc(void *to, uint32_t x)
{
	x = htole32(x);
	memcpy(to, &x, sizeof(x));
}

static inline void le64enc(void *to, uint64_t x)
{
	x = htole64(x);
	memcpy(to, &x, sizeof(x));
}

static inline void be32enc(void *to, uint32_t x)
{
	x = htobe32(x);
	memcpy(to, &x, sizeof(x));
}

static inline void be64enc(void *to, uint64_t x)
{
	x = htobe64(x);
	memcpy(to, &x, sizeof(x));
}

static inline uint32_t be32dec(const void *from)
{
	uint32_t x;

	memcpy(&x, from, sizeof(x));
	return be32toh(x);
}

#ifdef _KERNEL

/* ---------------------------------------------------------------------------------------- sys/systm.h */

void panic(const char *format, ...) __attribute__((noreturn));
#define KASSERT(condition, message) \
	do { \
		if (!(condition)) \
			panic("%s", #condition); \
	} while (0)
#define MPASS(condition) KASSERT(condition, (""))
extern const void *zero_region;

/* ---------------------------------------------------------------------------------------- sys/lock.h, sys/mutex.h */

/*
 * mtx(9) spins as long as the owner runs on another CPU, and then sleeps until the owner unlocks.  A program does not see whether
 * another thread runs: an owner that took the mutex on this CPU does not, and one that has it for SPIN_US probably not.
 */
struct mtx {
	uint32_t owner; /* its thread ID; 0: nobody */
	uint32_t cpu;   /* where the owner took it */
	uint32_t sleepers;
	const char *name;
};

/* A page of FreeBSD's portable AES takes a quarter of it. */
enum { SPIN_US = 200 };

enum { MTX_DEF, MA_OWNED, MA_NOTOWNED };
void mtx_init(struct mtx *m, const char *name, const char *type, int options);
void mtx_destroy(struct mtx *m);
void mtx_lock(struct mtx *m);
int mtx_trylock(struct mtx *m);
void mtx_unlock(struct mtx *m);
void mtx_assert(const struct mtx *m, int what);
/* For tests: takes every mutex but those of that name, as if a thread that held them were preempted. */
void freebsd_lock_all(const char *but);
void freebsd_unlock_all(const char *but);
/* For tests: the threads that wait in mtx_lock(), and how often threads have waited. */
extern uint32_t freebsd_waiting, freebsd_spins, freebsd_sleeps;

/* ---------------------------------------------------------------------------------------- machine/atomic.h */

#define atomic_store_int(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
#define atomic_load_acq_int(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)

static inline int atomic_cmpset_rel_int(volatile unsigned int *p, unsigned int old, unsigned int new)
{
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------------------------- sys/time.h */

typedef int64_t sbintime_t;
#define SBT_1S ((sbintime_t)1 << 32)
sbintime_t getsbinuptime(void);

static inline int64_t sbttons(sbintime_t t)
{
	return (int64_t)((uint64_t)t >> 32) * 1000000000 + (int64_t)(((uint64_t)1000000000 * (uint32_t)t) >> 32);
}

/* ---------------------------------------------------------------------------------------- sys/proc.h, machine/fpu.h */

/* A section must not be entered twice by one thread, and no lock may be waited for inside. */
struct thread;
#define curthread ((struct thread *)NULL)
#define FPU_KERN_NOCTX 4
void fpu_kern_enter(struct thread *thread, void *context, unsigned int flags);
int fpu_kern_leave(struct thread *thread, void *context);

/* ---------------------------------------------------------------------------------------- machine/cpu.h */

static inline uint64_t get_cyclecount(void)
{
	return __builtin_ia32_rdtsc();
}

/* ---------------------------------------------------------------------------------------- sys/kernel.h, sys/malloc.h */

/* Runs before main(). */
enum { SI_SUB_RANDOM, SI_ORDER_SECOND = 2, SI_ORDER_THIRD };
#define SYSINIT(name, subsystem, order, function, argument) \
	static void __attribute__((constructor(1000 + (order)))) freebsd_start_##name(void) \
	{ \
		(function)(argument); \
	} \
	struct freebsd_sysinit
#define MALLOC_DECLARE(type) struct freebsd_malloc

/* ---------------------------------------------------------------------------------------- sys/sysctl.h */

struct sysctl_req {
	const unsigned int *newptr; /* NULL: the value is only read */
	unsigned int old;
};

struct sysctl_oid {
	void *oid_arg1;
	intptr_t oid_arg2;
};

struct sysctl_ctx_list {
	char unused;
};

#define SYSCTL_HANDLER_ARGS struct sysctl_oid *oidp, void *arg1, intptr_t arg2, struct sysctl_req *req
enum { OID_AUTO = -1, CTLFLAG_RW = 1, CTLFLAG_RWTUN = 2, CTLFLAG_RDTUN = 4, CTLFLAG_MPSAFE = 8, CTLTYPE_UINT = 16 };

int sysctl_ctx_free(struct sysctl_ctx_list *list);
int sysctl_handle_int(struct sysctl_oid *oidp, void *value, intptr_t constant, struct sysctl_req *req);
/* Both set what they register from the environment (NAME=VALUE), as loader(8) does, and then keep it by its name. */
struct sysctl_oid *freebsd_add_bool(const char *name, bool *value);
struct sysctl_oid *freebsd_add_proc(const char *name, void *arg1, intptr_t arg2, int (*handler)(SYSCTL_HANDLER_ARGS));
/* For tests: sysctl(8). */
bool freebsd_has_sysctl(const char *name);
unsigned int freebsd_sysctl(const char *name);
void freebsd_sysctl_set(const char *name, unsigned int value);

#define SYSCTL_DECL(name) struct freebsd_sysctl_declaration
#define SYSCTL_STATIC_CHILDREN(name) 0
#define SYSCTL_CHILDREN(node) (node)
#define SYSCTL_ADD_NODE(list, parent, number, name, flags, handler, text) ((void)(list), (struct sysctl_oid *)NULL)
#define SYSCTL_ADD_PROC(list, parent, number, name, flags, arg1, arg2, handler, format, text) \
	((void)(parent), (void)freebsd_add_proc(name, arg1, arg2, handler))
#define SYSCTL_ADD_BOOL(list, parent, number, name, flags, value, constant, text) \
	((void)(parent), (void)freebsd_add_bool(name, value))
/* Before the first SYSINIT. */
#define SYSCTL_BOOL(parent, number, name, flags, value, constant, text) \
	static void __attribute__((constructor(500))) freebsd_tunable_##name(void) \
	{ \
		(void)freebsd_add_bool(#name, value); \
	} \
	struct freebsd_sysctl_bool

/* ---------------------------------------------------------------------------------------- sys/sdt.h, sys/fail.h */

#define SDT_PROVIDER_DECLARE(provider) struct freebsd_sdt
#define SDT_PROVIDER_DEFINE(provider) struct freebsd_sdt
#define SDT_PROBE_DEFINE2(provider, module, function, name, type1, type2) struct freebsd_sdt
#define SDT_PROBE2(provider, module, function, name, argument1, argument2) ((void)0)
#define KFAIL_POINT_CODE(parent, name, ...) ((void)0)

#endif
#endif

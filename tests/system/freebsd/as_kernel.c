/* SPDX-License-Identifier: BSD-2-Clause */
#include "as_kernel.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

static const char zeros[65536];
const void *zero_region = zeros;

void panic(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("panic: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	abort();
}

/* ------------------------------------------------------------------------------------------------ mutexes */

static _Thread_local unsigned int sections;
static struct mtx *mutexes[4];
static size_t mutexes_used;
uint32_t freebsd_waiting, freebsd_spins, freebsd_sleeps;

static uint32_t my_id(void)
{
	static _Thread_local uint32_t id;

	if (id == 0)
		id = (uint32_t)gettid();
	return id;
}

void mtx_init(struct mtx *m, const char *name, const char *type, int options)
{
	(void)type;
	KASSERT(options == MTX_DEF, "");
	*m = (struct mtx){ .name = name };
	KASSERT(mutexes_used < nitems(mutexes), "");
	mutexes[mutexes_used++] = m;
}

void mtx_destroy(struct mtx *m)
{
	KASSERT(m->owner == 0 && m->sleepers == 0, "");
	for (size_t i = 0; i < mutexes_used; i++) {
		if (mutexes[i] == m)
			mutexes[i] = mutexes[--mutexes_used];
	}
}

static uint32_t owner_of(const struct mtx *m)
{
	return __atomic_load_n(&m->owner, __ATOMIC_RELAXED);
}

int mtx_trylock(struct mtx *m)
{
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(&m->owner, &nobody, my_id(), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&m->cpu, (uint32_t)sched_getcpu(), __ATOMIC_RELAXED);
	return 1;
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Until the lock is released, or its owner changes or does not run. */
static void spin(const struct mtx *m, uint32_t owner)
{
	const int64_t end = now_us() + SPIN_US;

	while (owner_of(m) == owner && __atomic_load_n(&m->cpu, __ATOMIC_RELAXED) != (uint32_t)sched_getcpu() &&
	       now_us() < end) {
		__atomic_add_fetch(&freebsd_spins, 1, __ATOMIC_RELAXED);
		__builtin_ia32_pause();
	}
}

void mtx_lock(struct mtx *m)
{
	KASSERT(sections == 0 && owner_of(m) != my_id(), "");
	if (mtx_trylock(m))
		return;
	__atomic_add_fetch(&freebsd_waiting, 1, __ATOMIC_SEQ_CST);
	while (!mtx_trylock(m)) {
		const uint32_t owner = owner_of(m);

		if (owner == 0)
			continue;
		spin(m, owner);
		if (owner_of(m) != owner)
			continue;
		__atomic_add_fetch(&freebsd_sleeps, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&m->sleepers, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &m->owner, FUTEX_WAIT_PRIVATE, owner, NULL, NULL, 0);
		__atomic_sub_fetch(&m->sleepers, 1, __ATOMIC_SEQ_CST);
	}
	__atomic_sub_fetch(&freebsd_waiting, 1, __ATOMIC_SEQ_CST);
}

void mtx_unlock(struct mtx *m)
{
	KASSERT(owner_of(m) == my_id(), "");
	__atomic_store_n(&m->owner, 0, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&m->sleepers, __ATOMIC_SEQ_CST) != 0)
		syscall(SYS_futex, &m->owner, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void mtx_assert(const struct mtx *m, int what)
{
	KASSERT((owner_of(m) == my_id()) == (what == MA_OWNED), "");
}

void freebsd_lock_all(const char *but)
{
	for (size_t i = 0; i < mutexes_used; i++) {
		if (strcmp(mutexes[i]->name, but) != 0)
			mtx_lock(mutexes[i]);
	}
}

void freebsd_unlock_all(const char *but)
{
	for (size_t i = mutexes_used; i != 0; i--) {
		if (strcmp(mutexes[i - 1]->name, but) != 0)
			mtx_unlock(mutexes[i - 1]);
	}
}

/* ------------------------------------------------------------------------------------------------ time, sections */

sbintime_t getsbinuptime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return ((sbintime_t)now.tv_sec << 32) + (sbintime_t)(((uint64_t)now.tv_nsec << 32) / 1000000000);
}

void fpu_kern_enter(struct thread *thread, void *context, unsigned int flags)
{
	(void)thread;
	(void)context;
	KASSERT(flags == FPU_KERN_NOCTX && sections == 0, "");
	sections++;
}

int fpu_kern_leave(struct thread *thread, void *context)
{
	(void)thread;
	(void)context;
	KASSERT(sections == 1, "");
	sections--;
	return 0;
}

/* ------------------------------------------------------------------------------------------------ tunables */

static struct row {
	const char *name;
	bool *value;
	int (*handler)(SYSCTL_HANDLER_ARGS);
	struct sysctl_oid oid;
} rows[8];
static size_t used;

int sysctl_ctx_free(struct sysctl_ctx_list *list)
{
	(void)list;
	return 0;
}

int sysctl_handle_int(struct sysctl_oid *oidp, void *value, intptr_t constant, struct sysctl_req *req)
{
	(void)oidp;
	(void)constant;
	req->old = *(unsigned int *)value;
	if (req->newptr != NULL)
		*(unsigned int *)value = *req->newptr;
	return 0;
}

static unsigned int handle(struct row *row, const unsigned int *value)
{
	struct sysctl_req req = { value, 0 };

	if (row->handler != NULL) {
		KASSERT(row->handler(&row->oid, row->oid.oid_arg1, row->oid.oid_arg2, &req) == 0, "");
		return req.old;
	}
	if (value != NULL)
		*row->value = *value != 0;
	return *row->value;
}

static struct sysctl_oid *add(const char *name, struct row what)
{
	const char *const tunable = getenv(name);
	struct row *const row = &rows[used++];

	KASSERT(used <= nitems(rows), "");
	*row = what;
	row->name = name;
	if (tunable != NULL) {
		const unsigned int value = (unsigned int)strtoul(tunable, NULL, 0);
		(void)handle(row, &value);
	}
	return &row->oid;
}

struct sysctl_oid *freebsd_add_bool(const char *name, bool *value)
{
	return add(name, (struct row){ .value = value });
}

struct sysctl_oid *freebsd_add_proc(const char *name, void *arg1, intptr_t arg2, int (*handler)(SYSCTL_HANDLER_ARGS))
{
	return add(name, (struct row){ .handler = handler, .oid = { arg1, arg2 } });
}

static struct row *find(const char *name)
{
	for (size_t i = 0; i < used; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

bool freebsd_has_sysctl(const char *name)
{
	return find(name) != NULL;
}

unsigned int freebsd_sysctl(const char *name)
{
	KASSERT(find(name) != NULL, "");
	return handle(find(name), NULL);
}

void freebsd_sysctl_set(const char *name, unsigned int value)
{
	KASSERT(find(name) != NULL, "");
	(void)handle(find(name), &value);
}

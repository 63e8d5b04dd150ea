/* SPDX-License-Identifier: BSD-2-Clause */
#include "as_kernel.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

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

void mtx_init(struct mtx *m, const char *name, const char *type, int options)
{
	pthread_mutexattr_t attributes;

	(void)name;
	(void)type;
	KASSERT(options == MTX_DEF, "");
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&m->mutex, &attributes);
	m->is_owned = false;
	KASSERT(mutexes_used < nitems(mutexes), "");
	mutexes[mutexes_used++] = m;
}

void mtx_destroy(struct mtx *m)
{
	pthread_mutex_destroy(&m->mutex);
}

static bool is_mine(const struct mtx *m)
{
	return __atomic_load_n(&m->is_owned, __ATOMIC_RELAXED) &&
	       pthread_equal(__atomic_load_n(&m->owner, __ATOMIC_RELAXED), pthread_self());
}

static void own(struct mtx *m)
{
	__atomic_store_n(&m->owner, pthread_self(), __ATOMIC_RELAXED);
	__atomic_store_n(&m->is_owned, true, __ATOMIC_RELAXED);
}

void mtx_lock(struct mtx *m)
{
	KASSERT(sections == 0 && !is_mine(m), "");
	pthread_mutex_lock(&m->mutex);
	own(m);
}

int mtx_trylock(struct mtx *m)
{
	if (pthread_mutex_trylock(&m->mutex) != 0)
		return 0;
	own(m);
	return 1;
}

void mtx_unlock(struct mtx *m)
{
	KASSERT(is_mine(m), "");
	__atomic_store_n(&m->is_owned, false, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&m->mutex);
}

void mtx_assert(const struct mtx *m, int what)
{
	KASSERT(is_mine(m) == (what == MA_OWNED), "");
}

void freebsd_lock_all(void)
{
	for (size_t i = 0; i < mutexes_used; i++)
		mtx_lock(mutexes[i]);
}

void freebsd_unlock_all(void)
{
	for (size_t i = mutexes_used; i != 0; i--)
		mtx_unlock(mutexes[i - 1]);
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
	panic("no sysctl %s", name);
}

unsigned int freebsd_sysctl(const char *name)
{
	return handle(find(name), NULL);
}

void freebsd_sysctl_set(const char *name, unsigned int value)
{
	(void)handle(find(name), &value);
}

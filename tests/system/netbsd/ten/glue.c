/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NetBSD 10's kern.arandom in the kernel of 2016.
 *
 * NetBSD 10's subr_cprng.c is compiled in this file under other names, because the older one's cprng_strong(9) stays: the kernel
 * calls it before it has percpu(9).  begin_ten() replaces the function of kern.arandom with NetBSD 10's.
 */
#include <sys/param.h>
#include <sys/cprng.h>
#include <sys/kernel.h>
#include <sys/proc.h>
#include <sys/rnd.h>
#include <sys/sysctl.h>
#include <sys/systm.h>

/* The older kernel's pool, by its cprng_strong(9). */
int entropy_extract(void *buf, size_t len, int flags)
{
	(void)flags;
	(void)cprng_strong(kern_cprng, buf, len, 0);
	return 0;
}

static int replace_function(struct sysctllog **log, int cflags, const struct sysctlnode **parent,
			    const struct sysctlnode **made, int flags, int type, const char *name, const char *what,
			    sysctlfn function, u_quad_t value, void *data, size_t size, ...)
{
	const struct sysctlnode *node = NULL;
	int path[2], error;
	va_list more;

	va_start(more, size);
	path[0] = va_arg(more, int);
	path[1] = va_arg(more, int);
	va_end(more);
	sysctl_lock(true);
	error = sysctl_locate(curlwp, path, 2, &node, NULL);
	if (error != 0 || strcmp(node->sysctl_name, name) != 0)
		panic("no kern.%s", name);
	((struct sysctlnode *)__UNCONST(node))->sysctl_func = function;
	sysctl_unlock();
	return 0;
}

#define cprng_init ten_init
#define cprng_strong ten_strong
#define cprng_strong_create ten_strong_create
#define cprng_strong_destroy ten_strong_destroy
#define cprng_strong32 ten_strong32
#define cprng_strong64 ten_strong64
#define kern_cprng ten_kern_cprng
#define sysctl_createv replace_function

void ten_init(void);
struct cprng_strong *cprng_strong_create(const char *, int, int);
void cprng_strong_destroy(struct cprng_strong *);
size_t cprng_strong(struct cprng_strong *, void *, size_t, int);
uint32_t cprng_strong32(void);
uint64_t cprng_strong64(void);

#include <kern/subr_cprng.c>

void begin_ten(void);

void begin_ten(void)
{
	ten_init();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces of NetBSD 10 on the NetBSD before it, and percpu(9) for one CPU. */
#ifndef CPRNG_KERNEL_NETBSD_COMPAT_H
#define CPRNG_KERNEL_NETBSD_COMPAT_H

#include <sys/param.h>
#include <sys/cpu.h>
#include <sys/percpu.h>
#include <sys/systm.h>

#if __NetBSD_Prereq__(9, 99, 60)
#include <sys/entropy.h>
#else
#include <sys/rnd.h>

/* The only event of an older pool that makes earlier keys weak: it had less than full entropy before. */
static inline unsigned int entropy_epoch(void)
{
	return (unsigned int)rnd_initial_entropy;
}
#endif

#if defined(CPRNG_NETBSD_UNIPROCESSOR)
/* Of a kernel that has one CPU, and in which no thread preempts another: for its one user, cprng_fast.c. */
static void *the_only_one;

#define percpu_getref(p) ((void *)&the_only_one)
#define percpu_putref(p) ((void)(p))
#define percpu_create(size, construct, destruct, cookie) \
	(ncpu == 1 ? (void)0 : panic("cprng: built for one CPU"), (construct)(&the_only_one, cookie, curcpu()), \
	 (percpu_t *)NULL)
#elif !__NetBSD_Prereq__(9, 99, 60)
/* For the CPUs that are attached: an older kernel calls no constructor for a later one. */
static inline percpu_t *percpu_create(size_t size, percpu_callback_t construct, percpu_callback_t destruct,
				      void *cookie)
{
	percpu_t *const p = percpu_alloc(size);

	(void)destruct;
	percpu_foreach(p, construct, cookie);
	return p;
}
#endif

#endif

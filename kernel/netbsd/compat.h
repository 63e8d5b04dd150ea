/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces of NetBSD 10 for earlier versions, and percpu(9) for one CPU. */
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

/*
 * The only event of an older pool after which earlier keys are weak: they were
 * drawn with less than full entropy.
 */
static inline unsigned int
entropy_epoch(void)
{
	return (unsigned int)rnd_initial_entropy;
}
#endif

#if defined(CPRNG_NETBSD_UNIPROCESSOR)
/* For a kernel with one CPU.  Only cprng_fast.c uses it. */
static void *the_only_one;

/* Where one thread may preempt another, the state stays with its thread. */
#define percpu_getref(p) (kpreempt_disable(), (void *)&the_only_one)
#define percpu_putref(p) ((void)(p), kpreempt_enable())
#define percpu_create(size, construct, destruct, cookie) \
	(ncpu == 1 ? (void)0 : panic("cprng: built for one CPU"), \
	    (construct)(&the_only_one, cookie, curcpu()), (percpu_t *)NULL)
#elif !__NetBSD_Prereq__(9, 99, 60)
/*
 * For the CPUs that are attached now: older kernels call no constructor for
 * later ones.
 */
static inline percpu_t *
percpu_create(size_t size, percpu_callback_t construct,
    percpu_callback_t destruct, void *cookie)
{
	percpu_t *const p = percpu_alloc(size);

	(void)destruct;
	percpu_foreach(p, construct, cookie);
	return p;
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Differences between kernels since 6.1: the module is written for the newest, and this file adapts
 * the older ones.
 */
#ifndef CPRNG_KERNEL_LINUX_COMPAT_H
#define CPRNG_KERNEL_LINUX_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/syscore_ops.h>
#include <linux/sysctl.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void cprng_hrtimer_setup(struct hrtimer *timer,
				       enum hrtimer_restart (*function)(struct hrtimer *),
				       clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}

#define hrtimer_setup cprng_hrtimer_setup

/* Strings since 6.13; before, the kernel's macros stringify identifiers. */
#define CPRNG_NAMESPACE CPRNG
#define CPRNG_TEST_NAMESPACE CPRNG_TEST
#else
#define CPRNG_NAMESPACE "CPRNG"
#define CPRNG_TEST_NAMESPACE "CPRNG_TEST"
#endif

/* Handlers receive a const table since 6.11. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define CPRNG_SYSCTL_CONST
#else
#define CPRNG_SYSCTL_CONST const
#endif

/*
 * Tables end with an empty entry.  Kernels before 6.6 take no size; since 6.11 the size must
 * exclude that entry.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define cprng_register_sysctl(path, table) register_sysctl(path, table)
#else
#define cprng_register_sysctl(path, table) register_sysctl_sz(path, table, ARRAY_SIZE(table) - 1)
#endif

/* Since 6.19 an object points to its functions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
struct cprng_syscore {
	struct syscore_ops *ops;
};

#define CPRNG_SYSCORE_ARGUMENT void
#define CPRNG_SYSCORE_NO_DATA
#define CPRNG_SYSCORE_CONST
#define register_syscore(s) register_syscore_ops((s)->ops)
#define unregister_syscore(s) unregister_syscore_ops((s)->ops)
#define syscore cprng_syscore
#else
#define CPRNG_SYSCORE_ARGUMENT void *data
#define CPRNG_SYSCORE_NO_DATA NULL
#define CPRNG_SYSCORE_CONST const
#endif

/* Hexadecimal digits have their own header since 6.4. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#include <linux/kernel.h>
#else
#include <linux/hex.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define copy_splice_read generic_file_splice_read
#endif

#endif

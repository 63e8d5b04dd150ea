/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where kernels from 6.1 on differ: written for the newest, and given to the older ones here. */
#ifndef CPRNG_KERNEL_LINUX_COMPAT_H
#define CPRNG_KERNEL_LINUX_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/syscore_ops.h>
#include <linux/sysctl.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void cprng_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				       clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#define hrtimer_setup cprng_hrtimer_setup
#endif

/* Strings from 6.13 on; before, the kernel's macros make them. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define CPRNG_NAMESPACE CPRNG
#define CPRNG_TEST_NAMESPACE CPRNG_TEST
#else
#define CPRNG_NAMESPACE "CPRNG"
#define CPRNG_TEST_NAMESPACE "CPRNG_TEST"
#endif

/* Handlers get a const table from 6.11 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define CPRNG_SYSCTL_CONST
#else
#define CPRNG_SYSCTL_CONST const
#endif

/* Tables have an empty last entry, which is counted before 6.6 (the size was not passed) and must not be from 6.11 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define cprng_register_sysctl(path, table) register_sysctl(path, table)
#else
#define cprng_register_sysctl(path, table) register_sysctl_sz(path, table, ARRAY_SIZE(table) - 1)
#endif

/* An object with its functions apart, from 6.19 on. */
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

/* Hexadecimal digits are in a header of its own from 6.4 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#include <linux/kernel.h>
#else
#include <linux/hex.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define copy_splice_read generic_file_splice_read
#endif

#endif

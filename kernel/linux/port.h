/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The definitions that core/port.h requires, from the kernel's headers. */
#ifndef CPRNG_KERNEL_LINUX_PORT_H
#define CPRNG_KERNEL_LINUX_PORT_H

#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#define UINT32_MAX U32_MAX
#define UINT64_MAX U64_MAX
#define INT32_MIN S32_MIN
#define UINT64_C(n) U64_C(n)

/* Stacks have 16 KiB, and CONFIG_FRAME_WARN is 2 KiB. */
#define CPRNG_SMALL_STACK

/* A 64-byte header, and room for a refill on top of the leftover bytes (percpu.c). */
#define CPRNG_PORT_BUFFER 256

/* The module uses only this family; then no other family can prevent loading. */
#define CPRNG_CHACHA_ALONE

#endif

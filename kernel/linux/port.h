/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What core/port.h wants from its environment, out of the kernel's headers. */
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

/* 16 KiB, and CONFIG_FRAME_WARN at 2 KiB. */
#define CPRNG_SMALL_STACK

/* A head of 64 bytes, and room for what a refill pushes on top of what was too little (percpu.c). */
#define CPRNG_PORT_BUFFER 256

/* The one family that the module generates with; no other can then keep it from loading. */
#define CPRNG_CHACHA_ALONE

#endif

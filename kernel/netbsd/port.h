/* SPDX-License-Identifier: BSD-2-Clause */
/* What core/port.h wants from its environment, out of NetBSD's headers. */
#ifndef CPRNG_KERNEL_NETBSD_PORT_H
#define CPRNG_KERNEL_NETBSD_PORT_H

#include <sys/types.h>
#include <sys/stdbool.h>
#include <sys/stdint.h>
#include <lib/libkern/libkern.h>

/* A kernel's stack has some pages. */
#define CPRNG_SMALL_STACK

/* A head of 64 bytes, and room for what a refill leaves (cprng_fast.c). */
#define CPRNG_PORT_BUFFER 1088

/* The one family that the kernel generates with; no other can then keep it from starting. */
#define CPRNG_CHACHA_ALONE

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The definitions that core/port.h requires, from FreeBSD's headers. */
#ifndef CPRNG_KERNEL_FREEBSD_PORT_H
#define CPRNG_KERNEL_FREEBSD_PORT_H

#include <sys/types.h>
#include <sys/stdint.h>
#include <sys/systm.h>

/* Kernel stacks have four pages. */
#define CPRNG_SMALL_STACK

#endif

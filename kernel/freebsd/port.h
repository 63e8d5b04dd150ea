/* SPDX-License-Identifier: BSD-2-Clause */
/* What core/port.h wants from its environment, out of FreeBSD's headers. */
#ifndef CPRNG_KERNEL_FREEBSD_PORT_H
#define CPRNG_KERNEL_FREEBSD_PORT_H

#include <sys/types.h>
#include <sys/stdint.h>
#include <sys/systm.h>

/* A kernel's stack has four pages. */
#define CPRNG_SMALL_STACK

#endif

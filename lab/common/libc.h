/* SPDX-License-Identifier: BSD-2-Clause */
/* Identify the C library: glibc has a function for that, and musl's loader prints its version when it is run. */
#ifndef CPRNG_LAB_COMMON_LIBC_H
#define CPRNG_LAB_COMMON_LIBC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes "glibc 2.36", "musl 1.2.3", or "unknown" and what is known, truncated to size - 1 bytes and a 0. */
void lab_libc(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

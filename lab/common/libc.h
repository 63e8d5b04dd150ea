/* SPDX-License-Identifier: BSD-2-Clause */
/* Identifies the C library: glibc has a function for its version; musl's loader prints it when run. */
#ifndef CPRNG_LAB_COMMON_LIBC_H
#define CPRNG_LAB_COMMON_LIBC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes "glibc 2.36", "musl 1.2.3", or "unknown" with whatever is known; truncated to size - 1 bytes, with a final 0. */
void lab_libc(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_TESTS_BSD_SYSCTL_H
#define CPRNG_TESTS_BSD_SYSCTL_H

#include <stddef.h>

/* sysctlbyname(3). */
int sysctlbyname(const char *name, void *old, size_t *old_len, void *new_value, size_t new_len);
#endif

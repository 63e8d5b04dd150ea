/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_PRELOAD_H
#define CPRNG_PRELOAD_H

/* Exports a function that replaces the C library's. */
#define EXPORT __attribute__((visibility("default")))

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_PRELOAD_H
#define CPRNG_PRELOAD_H

/* Takes the place of the C library's function. */
#define EXPORT __attribute__((visibility("default")))

#endif

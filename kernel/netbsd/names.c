/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources under other names.  config(1) builds one object for each name of a
 * file and silently leaves out the first of two, and NetBSD has a cpu.c and a
 * chacha_sse2.c.
 */
#include <sys/cdefs.h>
__KERNEL_RCSID(0, "$NetBSD$");

#include "src/cpu/cpu.c"
#include "src/engine/chacha/chacha_sse2.c"

/* cipher.c defines the function under its freestanding name, and says why. */
#define cprng_clear_registers cprng_clear_vector_registers
#include "src/cpu/registers_x86_64.c"

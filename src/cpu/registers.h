/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of what is left in registers, in registers_<architecture>.c. */
#ifndef CPRNG_CPU_REGISTERS_H
#define CPRNG_CPU_REGISTERS_H

#include "core/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero the registers of this CPU that may still hold keystream or keys. */
void cprng_clear_registers(void);

/* The same of the general registers alone: after copies of less than 16 bytes (cprng_copy_few), in less time. */
void cprng_clear_general_registers(void);

/*
 * The same of all, and wipe len bytes at p: whole lines of 64 bytes, aligned to 64.  On x86-64 the cleared registers are
 * what is stored, as wide as the CPU has them; gcc makes "rep stos" of a loop.
 */
void cprng_wipe_and_clear_registers(void *p, size_t len);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of secrets that are left in registers: registers_<architecture>.c. */
#ifndef CPRNG_CPU_REGISTERS_H
#define CPRNG_CPU_REGISTERS_H

#include "core/port.h"

/* Clobbers for assembly that uses registers 16 and 17 of AVX-512, if the compiler may use them too. */
#ifdef __AVX512F__
#define CPRNG_CLOBBERS_16_17 , "xmm16", "xmm17"
#else
#define CPRNG_CLOBBERS_16_17
#endif

CPRNG_BEGIN_DECLARATIONS

/* Zero the registers of this CPU that may still hold keystream or keys. */
void cprng_clear_registers(void);

/* Zero only the general registers, in less time: sufficient after copies that used no vectors. */
void cprng_clear_general_registers(void);

/*
 * Like cprng_clear_registers(), and wipe len bytes at p: whole lines of 64 bytes, aligned to 64.  On x86-64 this stores the
 * widest cleared registers of the CPU, because gcc would turn a loop into "rep stos".
 */
void cprng_wipe_and_clear_registers(void *p, size_t len);

CPRNG_END_DECLARATIONS
#endif

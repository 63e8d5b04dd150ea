/* SPDX-License-Identifier: BSD-2-Clause */
/* shishua for peers.cpp: its state has another size for each set of instructions, so the memory is this file's. */
#ifndef CPRNG_LAB_CONTENDERS_SHISHUA_AVX2_H
#define CPRNG_LAB_CONTENDERS_SHISHUA_AVX2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A state, which free() ends; NULL without memory. */
void *lab_shishua_new(const uint64_t seed[4]);
/* len is a multiple of 128. */
void lab_shishua_fill(void *state, unsigned char *out, size_t len);

#ifdef __cplusplus
}
#endif

#endif

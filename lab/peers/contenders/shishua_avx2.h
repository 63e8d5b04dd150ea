/* SPDX-License-Identifier: BSD-2-Clause */
/* shishua for peers.cpp.  The size of its state depends on the instruction set, so this file allocates it. */
#ifndef CPRNG_LAB_PEERS_CONTENDERS_SHISHUA_AVX2_H
#define CPRNG_LAB_PEERS_CONTENDERS_SHISHUA_AVX2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates a state, to be released by free(); NULL if there is no memory. */
void *lab_shishua_new(const uint64_t seed[4]);
/* len is a multiple of 128. */
void lab_shishua_fill(void *state, unsigned char *out, size_t len);

#ifdef __cplusplus
}
#endif

#endif

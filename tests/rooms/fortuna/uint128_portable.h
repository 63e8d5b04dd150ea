/* SPDX-License-Identifier: BSD-2-Clause */
/* core/uint128.h as a compiler without a type of 128 bits sees it. */
#ifndef CPRNG_TESTS_FORTUNA_UINT128_PORTABLE_H
#define CPRNG_TESTS_FORTUNA_UINT128_PORTABLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not the struct of core/uint128.h, so that both can be seen in one file. */
struct without_int128 {
	uint64_t hi, lo;
};

struct without_int128 without_int128_add(struct without_int128 a, struct without_int128 b);
struct without_int128 without_int128_add64(struct without_int128 a, uint64_t n);
struct without_int128 without_int128_mul64(uint64_t a, uint64_t b);
bool without_int128_is_zero(struct without_int128 a);

#ifdef __cplusplus
}
#endif
#endif

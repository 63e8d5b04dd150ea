/* SPDX-License-Identifier: BSD-2-Clause */
/* core/uint128.h as compiled without a 128-bit type. */
#ifndef CPRNG_TESTS_UNIT_CORE_UINT128_PORTABLE_H
#define CPRNG_TESTS_UNIT_CORE_UINT128_PORTABLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A different struct from core/uint128.h's, so that one file can include both. */
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

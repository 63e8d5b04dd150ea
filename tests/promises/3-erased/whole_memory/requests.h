/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CPRNG_TESTS_REQUESTS_H
#define CPRNG_TESTS_REQUESTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draw len bytes, 1 to 64, by the request of this constant size. */
void cprng_test_request(size_t len, void *to);

#ifdef __cplusplus
}
#endif
#endif

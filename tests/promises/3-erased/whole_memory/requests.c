/* SPDX-License-Identifier: BSD-2-Clause */
/* Written in C, because `make check-erasure` compiles C at each level of optimisation. */
#include "requests.h"

#include "../../../support/constant_sizes.h"

void cprng_test_request(size_t len, void *to)
{
	constant_sizes[len - 1](to);
}

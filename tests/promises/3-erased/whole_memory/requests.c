/* SPDX-License-Identifier: BSD-2-Clause */
/* In C, which `make check-erasure` compiles at each level of optimisation. */
#include "requests.h"

#include "../../../support/constant_sizes.h"

void cprng_test_request(size_t len, void *to)
{
	constant_sizes[len - 1](to);
}

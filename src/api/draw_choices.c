/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers within bounds, orders and samples, by draws. */
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "numbers/choices.h"
#include "os/os.h"

CPRNG_CLEARS static uint64_t u64(void *none)
{
	(void)none;
	return cprng_fast64();
}

CPRNG_CLEARS static uint32_t uniform32(void *none, uint32_t bound)
{
	(void)none;
	return cprng_uniform32(bound);
}

CPRNG_CLEARS static uint64_t uniform64(void *none, uint64_t bound)
{
	return cprng_choose64(uniform32, u64, none, bound);
}

CPRNG_CLEARS uint64_t cprng_uniform64(uint64_t bound)
{
	return uniform64(NULL, bound);
}

CPRNG_CLEARS uint64_t cprng_range64(uint64_t lo, uint64_t hi)
{
	return cprng_choose_between(uniform64, u64, NULL, lo, hi);
}

CPRNG_CLEARS int64_t cprng_int_range(int64_t lo, int64_t hi)
{
	return cprng_choose_between_signed(uniform64, u64, NULL, lo, hi);
}

CPRNG_CLEARS int cprng_sample(uint64_t *out, size_t k, uint64_t n)
{
	if (k > n || (out == NULL && k != 0) || k > SIZE_MAX / sizeof(*out) || !cprng_has_end(out, k * sizeof(*out)))
		return CPRNG_ERR_ARGUMENT;
	cprng_choose_sample(uniform64, NULL, out, k, n);
	return CPRNG_OK;
}

CPRNG_CLEARS void cprng_shuffle(void *base, size_t count, size_t size)
{
	if (size != 0 && (count > SIZE_MAX / size || !cprng_has_end(base, count * size)))
		cprng_os_die(CPRNG_NO_END, 0);
	cprng_choose_order(uniform64, NULL, base, count, size);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of drawn numbers, and single draws of distributions. */
#include <cprng/cprng.h>

#include "api/arrays.h"
#include "engine/engine.h"
#include "engine/vector/wipe_stack.h"
#include "numbers/numbers.h"
#include "process/draw.h"
#include "process/process.h"

/* A pass of normals, and the frames below it. */
CPRNG_DEFINE_WIPE_STACK(wipe_stack, uint64_t, 512)

static void take(void *process, uint8_t *out, size_t len)
{
	cprng_draw_bytes(process, out, len);
}

static CPRNG_NOINLINE void make(const struct cprng_array *array, void *out, size_t count)
{
	cprng_array_fill(array, take, cprng_process(), out, count);
}

static int fill(enum cprng_array_kind kind, double location, double scale, void *out, size_t count)
{
	const struct cprng_array array = { kind, location, scale };

	if ((out == NULL && count != 0) || count > SIZE_MAX / cprng_array_size(kind) || !cprng_array_valid(&array))
		return CPRNG_ERR_ARGUMENT;
	make(&array, out, count);
	/* What a number was made of, and the number, were in frames and registers. */
	wipe_stack();
	cprng_clear_registers();
	return CPRNG_OK;
}

int cprng_fill_u32(uint32_t *out, size_t count)
{
	return fill(CPRNG_ARRAY_U32, 0, 0, out, count);
}

int cprng_fill_u64(uint64_t *out, size_t count)
{
	return fill(CPRNG_ARRAY_U64, 0, 0, out, count);
}

int cprng_fill_float(float *out, size_t count)
{
	return fill(CPRNG_ARRAY_FLOAT, 0, 0, out, count);
}

int cprng_fill_double(double *out, size_t count)
{
	return fill(CPRNG_ARRAY_DOUBLE, 0, 0, out, count);
}

int cprng_fill_normal(double *out, size_t count, double mu, double sigma)
{
	return fill(CPRNG_ARRAY_NORMAL, mu, sigma, out, count);
}

int cprng_fill_exponential(double *out, size_t count, double mean)
{
	return fill(CPRNG_ARRAY_EXPONENTIAL, 0, mean, out, count);
}

double cprng_normal(double mu, double sigma)
{
	if (!cprng_number_normal_valid(mu, sigma))
		return __builtin_nan("");
	return cprng_number_normal(cprng_fast64(), mu, sigma);
}

double cprng_exponential(double mean)
{
	if (!cprng_number_exponential_valid(mean))
		return __builtin_nan("");
	return cprng_number_exponential(cprng_fast64(), mean);
}

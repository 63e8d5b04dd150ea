/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of streams: those of <cprng/stream_numbers.h> for callers that do not inline them, and the others. */
#define CPRNG_INLINE_STREAM
#include "api/stream.h"

#include "api/choices.h"

static uint64_t u64(void *stream)
{
	return cprng_stream_u64(stream);
}

static uint32_t uniform32(void *stream, uint32_t bound)
{
	return cprng_stream_uniform32(stream, bound);
}

static uint64_t uniform64(void *stream, uint64_t bound)
{
	return cprng_choose64(uniform32, u64, stream, bound);
}

uint64_t cprng_stream_uniform64(cprng_stream *s, uint64_t bound)
{
	return uniform64(s, bound);
}

uint64_t cprng_stream_range64(cprng_stream *s, uint64_t lo, uint64_t hi)
{
	return cprng_choose_between(uniform64, u64, s, lo, hi);
}

int64_t cprng_stream_int_range(cprng_stream *s, int64_t lo, int64_t hi)
{
	return cprng_choose_between_signed(uniform64, u64, s, lo, hi);
}

void cprng_stream_shuffle(cprng_stream *s, void *base, size_t count, size_t size)
{
	cprng_choose_order(uniform64, s, base, count, size);
}

int cprng_stream_sample(cprng_stream *s, uint64_t *out, size_t k, uint64_t n)
{
	if (!cprng_stream_is_open(s) || k > n || (out == NULL && k != 0))
		return CPRNG_ERR_ARGUMENT;
	cprng_choose_sample(uniform64, s, out, k, n);
	return CPRNG_OK;
}

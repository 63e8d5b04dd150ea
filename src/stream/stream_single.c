/* SPDX-License-Identifier: BSD-2-Clause */
/* Single choices and UUIDs from streams. */
#include "stream/stream.h"

#include "core/bytes.h"
#include "numbers/single.h"
#include "os/os.h"

CPRNG_INLINE uint32_t single_stream32(void *stream)
{
	return cprng_stream_u32(stream);
}

CPRNG_INLINE uint64_t single_stream64(void *stream)
{
	return cprng_stream_u64(stream);
}

CPRNG_CLEARS size_t cprng_stream_weighted(cprng_stream *s, const cprng_weights *w)
{
	uint64_t column, unit;

	if (CPRNG_UNLIKELY(w == NULL || w->count == 0))
		cprng_os_die(CPRNG_NO_WEIGHTS, 0);
	column =
		cprng_choose_column(single_stream32, single_stream64, s, w->count, w->sum, w->bound, w->refused, &unit);
	return (size_t)cprng_choose_owner(unit < w->table[column].share, column, w->table[column].other);
}

/* Read the random bytes of a UUID. */
CPRNG_CLEARS static int read_uuid(cprng_stream *s, uint8_t out[16], size_t first, unsigned int version)
{
	const int error = out != NULL ? cprng_stream_read(s, out + first, 16 - first) : CPRNG_ERR_ARGUMENT;

	if (error == CPRNG_OK)
		cprng_uuid_mark(out, version);
	return error;
}

CPRNG_CLEARS int cprng_stream_uuid4(cprng_stream *s, uint8_t out[16])
{
	return read_uuid(s, out, 0, 4);
}

CPRNG_CLEARS int cprng_stream_uuid7(cprng_stream *s, uint64_t unix_ms, uint8_t out[16])
{
	int error;

	if (unix_ms >= CPRNG_UUID_TIME_END)
		return CPRNG_ERR_ARGUMENT;
	error = read_uuid(s, out, 6, 7);
	if (error == CPRNG_OK)
		cprng_uuid_put_time(out, unix_ms);
	return error;
}

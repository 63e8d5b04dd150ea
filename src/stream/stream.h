/* SPDX-License-Identifier: BSD-2-Clause */
/* The private part of a stream object, behind its buffer. */
#ifndef CPRNG_STREAM_STREAM_H
#define CPRNG_STREAM_STREAM_H

#include <cprng/cprng.h>

#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

struct cprng_stream_state {
	struct cprng_keystate ks;
	const struct cprng_engine *engine; /* NULL: the object is not a stream */
	const struct cprng_backend *backend;
	uint64_t behind; /* offset behind the last byte of the buffer */
	uint64_t block;  /* the block that ks is positioned at */
	uint64_t end;    /* the last offset that the engine's counter allows, plus 1 */
	uint8_t key[CPRNG_KEY_SIZE_MAX];
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX];
	uint8_t key_size, nonce_size;
};

_Static_assert(sizeof(struct cprng_stream_state) <= sizeof(((cprng_stream *)NULL)->opaque),
	       "the public object has room");
_Static_assert(_Alignof(struct cprng_stream_state) <= 64, "and is aligned");
_Static_assert(CPRNG_STREAM_BUFFER % CPRNG_BLOCK_SIZE_MAX == 0, "a buffer has whole blocks");

CPRNG_INLINE struct cprng_stream_state *cprng_stream_state(cprng_stream *s)
{
	return (struct cprng_stream_state *)s->opaque;
}

CPRNG_INLINE const struct cprng_stream_state *cprng_stream_state_const(const cprng_stream *s)
{
	return (const struct cprng_stream_state *)s->opaque;
}

CPRNG_INLINE bool cprng_stream_is_open(const cprng_stream *s)
{
	return s != NULL && cprng_stream_state_const(s)->engine != NULL;
}

/* Return the number of bytes left before the end of an open stream. */
CPRNG_INLINE uint64_t cprng_stream_left(const cprng_stream *s)
{
	const struct cprng_stream_state *st = cprng_stream_state_const(s);

	return st->end - st->behind + (uint64_t)-s->next;
}

/* End the program, for functions without an error to return, unless s is an open stream with so many bytes left. */
void cprng_stream_demand(const cprng_stream *s, uint64_t len);

/* Write an open stream's next len bytes.  The caller has checked that so many are left. */
void cprng_stream_take(cprng_stream *s, uint8_t *out, size_t len);

CPRNG_END_DECLARATIONS

#endif

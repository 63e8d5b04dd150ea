/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "core/wipe.h"
#include "engine/expand.h"

struct stream {
	struct cprng_keystate ks; /* positioned behind the blocks that have been made */
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	uint64_t offset; /* of the next byte to be read */
	uint64_t end;    /* last offset + 1 that the engine's counter allows */
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX];
	uint8_t nonce_size;
	uint8_t block[CPRNG_BLOCK_SIZE_MAX]; /* the block that offset is in the middle of */
};

_Static_assert(sizeof(struct stream) <= sizeof(cprng_stream), "the public object has room");
_Static_assert(_Alignof(struct stream) <= _Alignof(cprng_stream), "and is aligned");

static bool listed(const uint8_t sizes[2], size_t size)
{
	return size != 0 && (size == sizes[0] || size == sizes[1]);
}

/* Put the counter at offset, and have the block that offset is in the middle of. */
static void position(struct stream *s, uint64_t offset)
{
	const unsigned int size = s->engine->block_size;

	s->engine->family->set_position(&s->ks, s->nonce, s->nonce_size, offset / size);
	if (offset % size != 0)
		s->backend->keystream(&s->ks, s->engine->rounds, s->block, 1, 0);
	s->offset = offset;
}

int cprng_stream_init(cprng_stream *stream, const char *engine, const void *key, size_t key_len, const void *nonce,
		      size_t nonce_len)
{
	struct stream *s = (struct stream *)stream;
	const struct cprng_engine *e;
	const struct cprng_backend *backend;

	if (stream == NULL)
		return CPRNG_ERR_ARGUMENT;
	memset(stream, 0, sizeof(*stream));
	if (engine == NULL || key == NULL || (nonce == NULL && nonce_len != 0))
		return CPRNG_ERR_ARGUMENT;
	e = cprng_engine_find(engine);
	if (e == NULL)
		return CPRNG_ERR_ENGINE;
	if (!listed(e->key_sizes, key_len))
		return CPRNG_ERR_KEY_SIZE;
	if (nonce != NULL && !listed(e->nonce_sizes, nonce_len))
		return CPRNG_ERR_NONCE_SIZE;
	backend = cprng_engine_select(e);
	if (backend == NULL)
		return CPRNG_ERR_SELFTEST;

	s->engine = e;
	s->backend = backend;
	s->nonce_size = nonce != NULL ? (uint8_t)nonce_len : e->nonce_sizes[0];
	if (nonce != NULL)
		memcpy(s->nonce, nonce, nonce_len);
	/* A 12-byte nonce leaves 32 bits for the counter (RFC 8439, 2.3); the others outlast 64-bit offsets. */
	s->end = s->nonce_size == 12 ? (UINT64_C(1) << 32) * e->block_size : UINT64_MAX;
	backend->set_key(&s->ks, key, key_len);
	position(s, 0);
	return CPRNG_OK;
}

int cprng_stream_read(cprng_stream *stream, void *buf, size_t len)
{
	struct stream *s = (struct stream *)stream;
	uint8_t *out = buf;
	size_t within;

	if (stream == NULL || s->engine == NULL || (buf == NULL && len != 0))
		return CPRNG_ERR_ARGUMENT;
	if (len > s->end - s->offset)
		return CPRNG_ERR_RANGE;
	if (len == 0)
		return CPRNG_OK;

	within = (size_t)(s->offset % s->engine->block_size);
	s->offset += len;
	if (within != 0) {
		size_t rest = s->engine->block_size - within, n = len < rest ? len : rest;

		memcpy(out, s->block + within, n);
		out += n;
		len -= n;
	}
	cprng_expand(&s->ks, s->engine, s->backend, out, len, s->block, 0);
	return CPRNG_OK;
}

int cprng_stream_seek(cprng_stream *stream, uint64_t offset)
{
	struct stream *s = (struct stream *)stream;

	if (stream == NULL || s->engine == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (offset > s->end)
		return CPRNG_ERR_RANGE;
	if (offset == s->end && s->end % s->engine->block_size == 0) {
		/* Behind the last block of a counter that may not wrap: nothing can be read there. */
		s->offset = offset;
		return CPRNG_OK;
	}
	position(s, offset);
	return CPRNG_OK;
}

uint64_t cprng_stream_tell(const cprng_stream *stream)
{
	return stream != NULL ? ((const struct stream *)stream)->offset : 0;
}

void cprng_stream_wipe(cprng_stream *stream)
{
	if (stream != NULL)
		cprng_wipe(stream, sizeof(*stream));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream/stream.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "cpu/registers.h"
#include "os/os.h"

static bool listed(const uint8_t sizes[2], size_t size)
{
	return size != 0 && (size == sizes[0] || size == sizes[1]);
}

CPRNG_CLEARS int cprng_stream_init(cprng_stream *s, const char *engine, const void *key, size_t key_len,
				   const void *nonce, size_t nonce_len)
{
	struct cprng_stream_state *st;
	const struct cprng_engine *e;
	const struct cprng_backend *backend;

	if (s == NULL)
		return CPRNG_ERR_ARGUMENT;
	memset(s, 0, sizeof(*s));
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

	st = cprng_stream_state(s);
	st->engine = e;
	st->backend = backend;
	st->key_size = (uint8_t)key_len;
	memcpy(st->key, key, key_len);
	st->nonce_size = nonce != NULL ? (uint8_t)nonce_len : e->nonce_sizes[0];
	if (nonce != NULL)
		memcpy(st->nonce, nonce, nonce_len);
	/* A 12-byte nonce leaves a counter of 32 bits (RFC 8439, 2.3); other counters outlast 64-bit offsets. */
	st->end = st->nonce_size == 12 ? (UINT64_C(1) << 32) * e->block_size : UINT64_MAX;
	backend->set_key(&st->ks, key, key_len);
	e->family->set_position(&st->ks, st->nonce, st->nonce_size, 0);
	cprng_clear_registers();
	return CPRNG_OK;
}

/* Write nblocks blocks, beginning with block number first. */
CPRNG_CLEARS static void make_blocks(struct cprng_stream_state *st, uint64_t first, uint8_t *out, size_t nblocks)
{
	if (first != st->block)
		st->engine->family->set_position(&st->ks, st->nonce, st->nonce_size, first);
	st->backend->keystream(&st->ks, st->engine->rounds, out, nblocks, 0);
	st->block = first + nblocks;
}

/* Refill the empty buffer, from the block that contains the next byte.  The stream must not have ended. */
CPRNG_CLEARS static void refill_buffer(cprng_stream *s, struct cprng_stream_state *st)
{
	const size_t size = st->engine->block_size, within = (size_t)(st->behind % size);
	const uint64_t left = st->end - st->behind;
	size_t n = sizeof(s->buffer) - within;

	if (n > left)
		n = (size_t)left;
	make_blocks(st, st->behind / size, s->buffer, (within + n + size - 1) / size);
	/* The end of a stream may not fill the buffer: the bytes still go to the buffer's end. */
	if (within + n != sizeof(s->buffer))
		memmove(s->buffer + sizeof(s->buffer) - n, s->buffer + within, n);
	st->behind += n;
	s->next = -(ptrdiff_t)n;
}

CPRNG_CLEARS void cprng_stream_take(cprng_stream *s, uint8_t *out, size_t len)
{
	struct cprng_stream_state *st = cprng_stream_state(s);
	const size_t size = st->engine->block_size;

	for (;;) {
		const size_t buffered = (size_t)-s->next, n = len < buffered ? len : buffered;

		if (n != 0)
			memcpy(out, s->buffer + sizeof(s->buffer) - buffered, n);
		s->next += (ptrdiff_t)n;
		out += n;
		len -= n;
		if (len == 0)
			break;
		/* Whole blocks of a long request bypass the buffer. */
		if (len >= sizeof(s->buffer) && st->behind % size == 0) {
			const size_t whole = len - len % size;

			make_blocks(st, st->behind / size, out, whole / size);
			st->behind += whole;
			out += whole;
			len -= whole;
			if (len == 0)
				break;
		}
		refill_buffer(s, st);
	}
	/* The cipher and libc's memcpy leave keystream in registers. */
	cprng_clear_registers();
}

/*
 * Reads of up to LITTLE_READ_MAX bytes are copied through general registers: a function that uses no vector register has few to
 * clear.  Up to SHORT_READ_MAX the compiler sees which vector registers are used; libc's memcpy() leaves bytes in others.
 */
enum { LITTLE_READ_MAX = 64, SHORT_READ_MAX = 256 };

CPRNG_INLINE void copy_words(uint8_t *dst, const uint8_t *src)
{
	cprng_store_le64(dst, cprng_load_le64(src));
	cprng_store_le64(dst + 8, cprng_load_le64(src + 8));
}

/* Copy 1 to LITTLE_READ_MAX bytes.  Copies overlap. */
CPRNG_INLINE void copy_little(uint8_t *dst, const uint8_t *src, size_t len)
{
	if (len < 16) {
		cprng_copy_few(dst, src, len);
		return;
	}
	copy_words(dst, src);
	if (len > 32) {
		copy_words(dst + 16, src + 16);
		copy_words(dst + len - 32, src + len - 32);
	}
	copy_words(dst + len - 16, src + len - 16);
}

CPRNG_INLINE void copy_vectors(uint8_t *dst, const uint8_t *src)
{
	memcpy(dst, src, 16);
	memcpy(dst + 16, src + 16, 16);
}

/* Copy 32 to SHORT_READ_MAX bytes. */
CPRNG_INLINE void copy_short(uint8_t *dst, const uint8_t *src, size_t len)
{
	for (size_t at = 32; at + 32 < len; at += 32)
		copy_vectors(dst + at, src + at);
	copy_vectors(dst, src);
	copy_vectors(dst + len - 32, src + len - 32);
}

/* Return true if the buffer has len bytes: then s is an open stream, because any other has none. */
CPRNG_INLINE bool has_buffered(const cprng_stream *s, const void *buf, size_t len)
{
	return s != NULL && buf != NULL && len <= (size_t)-s->next && cprng_has_end(buf, len);
}

CPRNG_CLEARS CPRNG_NOINLINE static int read_more(cprng_stream *s, void *buf, size_t len)
{
	if (CPRNG_LIKELY(len <= SHORT_READ_MAX && len >= LITTLE_READ_MAX && has_buffered(s, buf, len))) {
		copy_short(buf, s->buffer + sizeof(s->buffer) + s->next, len);
		s->next += (ptrdiff_t)len;
		return CPRNG_OK;
	}
	if (!cprng_stream_is_open(s) || (buf == NULL && len != 0))
		return CPRNG_ERR_ARGUMENT;
	if (len > cprng_stream_left(s))
		return CPRNG_ERR_RANGE;
	if (!cprng_has_end(buf, len))
		return CPRNG_ERR_ARGUMENT;
	if (len != 0)
		cprng_stream_take(s, buf, len);
	return CPRNG_OK;
}

CPRNG_CLEARS int cprng_stream_read_slow_1(cprng_stream *s, void *buf, size_t len)
{
	if (len - 1 >= LITTLE_READ_MAX || CPRNG_UNLIKELY(!has_buffered(s, buf, len)))
		return read_more(s, buf, len);
	copy_little(buf, s->buffer + sizeof(s->buffer) + s->next, len);
	s->next += (ptrdiff_t)len;
	return CPRNG_OK;
}

CPRNG_CLEARS void cprng_stream_demand(const cprng_stream *s, uint64_t len)
{
	if (!cprng_stream_is_open(s))
		cprng_os_die("a number was asked of an object that is not a stream", 0);
	if (len > cprng_stream_left(s))
		cprng_os_die("a number was asked of a stream at its end", 0);
}

CPRNG_CLEARS uint64_t cprng_stream_slow_1(cprng_stream *s, unsigned int bytes)
{
	uint8_t value[8] = { 0 };

	cprng_stream_demand(s, bytes);
	cprng_stream_take(s, value, bytes);
	return cprng_load_le64(value);
}

CPRNG_CLEARS int cprng_stream_seek(cprng_stream *s, uint64_t offset)
{
	struct cprng_stream_state *st;
	uint64_t step;

	if (!cprng_stream_is_open(s))
		return CPRNG_ERR_ARGUMENT;
	st = cprng_stream_state(s);
	if (offset > st->end)
		return CPRNG_ERR_RANGE;
	/* Forward within the buffer; a step back is a huge number. */
	step = offset - cprng_stream_tell(s);
	if (step <= (uint64_t)-s->next) {
		s->next += (ptrdiff_t)step;
	} else {
		s->next = 0;
		st->behind = offset;
	}
	return CPRNG_OK;
}

CPRNG_CLEARS int cprng_stream_advance(cprng_stream *s, int64_t bytes)
{
	const uint64_t offset = cprng_stream_tell(s), to = offset + (uint64_t)bytes;

	if (!cprng_stream_is_open(s))
		return CPRNG_ERR_ARGUMENT;
	if (bytes < 0 ? to > offset : to < offset)
		return CPRNG_ERR_RANGE;
	return cprng_stream_seek(s, to);
}

uint64_t cprng_stream_tell(const cprng_stream *s)
{
	return s != NULL ? cprng_stream_state_const(s)->behind - (uint64_t)-s->next : 0;
}

void cprng_stream_wipe(cprng_stream *s)
{
	if (s != NULL)
		cprng_wipe(s, sizeof(*s));
}

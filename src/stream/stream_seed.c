/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys from seeds and from other streams, and checkpoints: docs/streams-specification.md has the layouts. */
#include "cpu/registers.h"
#include "stream/stream.h"

#include "core/bytes.h"
#include "core/sha256.h"
#include "core/wipe.h"

enum {
	NAME_SIZE = 16, /* an engine's name, padded with zeros */
	SEED_MIN = 16,  /* two random seeds of this size are equal with probability 2^-128 */
};

/* Write the engine's name, padded with zeros. */
static void put_name(char name[NAME_SIZE], const struct cprng_engine *engine)
{
	size_t i = 0;

	for (; engine->name[i] != '\0'; i++)
		name[i] = engine->name[i];
	memset(name + i, 0, NAME_SIZE - i);
}

/* Begin the hash that becomes a key.  `purpose` separates the domains: hashes for different purposes never have equal input. */
CPRNG_CLEARS static void begin(struct cprng_sha256 *h, char purpose, const struct cprng_engine *engine)
{
	char name[NAME_SIZE];

	put_name(name, engine);
	cprng_sha256_init(h);
	cprng_sha256_update(h, "cprng stream key", 16);
	cprng_sha256_update(h, &purpose, 1);
	cprng_sha256_update(h, name, sizeof(name));
}

CPRNG_CLEARS static void update_le64(struct cprng_sha256 *h, uint64_t value)
{
	uint8_t bytes[8];

	cprng_store_le64(bytes, value);
	cprng_sha256_update(h, bytes, sizeof(bytes));
}

/* Open *s with the hash, truncated to the key size, as the key, and with no nonce.  On error leave *s unchanged. */
CPRNG_CLEARS static int finish(struct cprng_sha256 *h, const struct cprng_engine *engine, cprng_stream *s)
{
	uint8_t digest[CPRNG_SHA256_SIZE];
	cprng_stream made;
	int error;

	cprng_sha256_final(h, digest);
	error = cprng_stream_init(&made, engine->name, digest, engine->key_sizes[0], NULL, 0);
	if (error == CPRNG_OK)
		*s = made;
	cprng_wipe(digest, sizeof(digest));
	cprng_stream_wipe(&made);
	cprng_clear_registers();
	return error;
}

CPRNG_CLEARS static int seed(cprng_stream *s, const char *name, char purpose, const void *data, size_t len)
{
	const struct cprng_engine *engine = cprng_engine_find(name != NULL ? name : CPRNG_STREAM_ENGINE);
	struct cprng_sha256 h;

	if (engine == NULL)
		return CPRNG_ERR_ENGINE;
	begin(&h, purpose, engine);
	update_le64(&h, len);
	cprng_sha256_update(&h, data, len);
	return finish(&h, engine, s);
}

/* `magnitude` without the zeros at its end, so that each integer has one encoding. */
CPRNG_CLEARS int cprng_stream_seed_number(cprng_stream *s, const char *engine, const void *magnitude, size_t len,
					  int negative)
{
	const uint8_t *bytes = magnitude;

	if (s == NULL || (bytes == NULL && len != 0))
		return CPRNG_ERR_ARGUMENT;
	while (len > 0 && bytes[len - 1] == 0)
		len--;
	return seed(s, engine, negative && len != 0 ? 'n' : 'i', bytes, len);
}

CPRNG_CLEARS int cprng_stream_seed_integer(cprng_stream *s, const char *engine, uint64_t value)
{
	uint8_t bytes[8];

	cprng_store_le64(bytes, value);
	return cprng_stream_seed_number(s, engine, bytes, sizeof(bytes), 0);
}

CPRNG_CLEARS int cprng_stream_seed_text(cprng_stream *s, const char *engine, const char *text, size_t len)
{
	if (s == NULL || text == NULL)
		return CPRNG_ERR_ARGUMENT;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0')
			return CPRNG_ERR_ARGUMENT;
	return len == 0 ? CPRNG_ERR_SIZE : seed(s, engine, 's', text, len);
}

CPRNG_CLEARS int cprng_stream_seed_string(cprng_stream *s, const char *engine, const char *text)
{
	return cprng_stream_seed_text(s, engine, text, text != NULL ? strlen(text) : 0);
}

CPRNG_CLEARS int cprng_stream_seed_bytes(cprng_stream *s, const char *engine, const void *bytes, size_t len)
{
	if (s == NULL || bytes == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (len < SEED_MIN)
		return CPRNG_ERR_SIZE;
	return seed(s, engine, 'b', bytes, len);
}

CPRNG_CLEARS int cprng_stream_child(const cprng_stream *parent, uint64_t index, cprng_stream *child)
{
	const struct cprng_stream_state *st;
	struct cprng_sha256 h;

	if (!cprng_stream_is_open(parent) || child == NULL)
		return CPRNG_ERR_ARGUMENT;
	st = cprng_stream_state_const(parent);
	begin(&h, 'c', st->engine);
	cprng_sha256_update(&h, &st->key_size, 1);
	cprng_sha256_update(&h, &st->nonce_size, 1);
	cprng_sha256_update(&h, st->key, st->key_size);
	cprng_sha256_update(&h, st->nonce, st->nonce_size);
	update_le64(&h, index);
	return finish(&h, st->engine, child);
}

/* ---------------------------------------------------------------------------------------------------- checkpoints */

struct checkpoint {
	uint8_t magic[8];
	uint8_t version, key_size, nonce_size, zero[5];
	char engine[NAME_SIZE];
	uint8_t key[CPRNG_KEY_SIZE_MAX];
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX];
	uint8_t offset[8];
	uint8_t more_zero[8];
	uint8_t digest[CPRNG_SHA256_SIZE]; /* hash of the members above */
};

_Static_assert(sizeof(struct checkpoint) == CPRNG_STREAM_CHECKPOINT_SIZE, "only bytes: no padding, no byte order");

CPRNG_CLEARS static void digest_of(const struct checkpoint *c, uint8_t digest[CPRNG_SHA256_SIZE])
{
	struct cprng_sha256 h;

	cprng_sha256_init(&h);
	cprng_sha256_update(&h, c, offsetof(struct checkpoint, digest));
	cprng_sha256_final(&h, digest);
}

CPRNG_CLEARS static void write_checkpoint(const cprng_stream *s, struct checkpoint *c)
{
	const struct cprng_stream_state *st = cprng_stream_state_const(s);

	memset(c, 0, sizeof(*c));
	memcpy(c->magic, "cprngstr", sizeof(c->magic));
	c->version = 1;
	c->key_size = st->key_size;
	c->nonce_size = st->nonce_size;
	put_name(c->engine, st->engine);
	memcpy(c->key, st->key, st->key_size);
	memcpy(c->nonce, st->nonce, st->nonce_size);
	cprng_store_le64(c->offset, cprng_stream_tell(s));
	digest_of(c, c->digest);
}

CPRNG_CLEARS int cprng_stream_save(const cprng_stream *s, void *buf, size_t len)
{
	struct checkpoint c;

	if (!cprng_stream_is_open(s) || buf == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (len < sizeof(c))
		return CPRNG_ERR_SIZE;
	write_checkpoint(s, &c);
	memcpy(buf, &c, sizeof(c));
	cprng_wipe(&c, sizeof(c));
	cprng_clear_registers();
	return CPRNG_OK;
}

/* Open *s from *c.  Reject *c unless saving the opened stream reproduces it exactly. */
CPRNG_CLEARS static int open_checkpoint(const struct checkpoint *c, cprng_stream *s)
{
	struct checkpoint again;
	int error;

	if (c->engine[NAME_SIZE - 1] != '\0' || c->key_size > sizeof(c->key) || c->nonce_size > sizeof(c->nonce))
		return CPRNG_ERR_CHECKPOINT;
	error = cprng_stream_init(s, c->engine, c->key, c->key_size, c->nonce, c->nonce_size);
	if (error == CPRNG_ERR_SELFTEST)
		return error;
	if (error != CPRNG_OK || cprng_stream_seek(s, cprng_load_le64(c->offset)) != CPRNG_OK)
		return CPRNG_ERR_CHECKPOINT;
	write_checkpoint(s, &again);
	error = cprng_equal(&again, c, sizeof(again)) ? CPRNG_OK : CPRNG_ERR_CHECKPOINT;
	cprng_wipe(&again, sizeof(again));
	return error;
}

CPRNG_CLEARS int cprng_stream_restore(cprng_stream *s, const void *buf, size_t len)
{
	struct checkpoint c;
	cprng_stream made;
	int error;

	if (s == NULL || buf == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (len != sizeof(c))
		return CPRNG_ERR_CHECKPOINT;
	memcpy(&c, buf, sizeof(c));
	error = open_checkpoint(&c, &made);
	if (error == CPRNG_OK)
		*s = made;
	cprng_stream_wipe(&made);
	cprng_wipe(&c, sizeof(c));
	cprng_clear_registers();
	return error;
}

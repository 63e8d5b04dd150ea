/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams.  The C object lies in an ArrayBuffer private to lib/stream.js.  JavaScript takes numbers from its buffer as
 * <cprng/stream_numbers.h> does, and calls these functions for everything else.
 *
 * C's functions abort if a stream ends before a number's last byte.  These throw a RangeError and leave the offset unchanged.
 */
#include "addon.h"

#include <string.h>

/* The end of streams with 12-byte nonces; all others end at 2^64 - 1. */
#define END_AT ((uint64_t)1 << 38)

/*
 * The most bytes that draws with rejections need: each try of 8 bytes succeeds with probability 1/2 or more, so four tries for each
 * number and 64 more practically suffice.
 */
#define TRIES_BYTES(count) (32 * (uint64_t)(count) + 512)

/* stream(): returns aligned memory for a stream, as a Uint8Array. */
static napi_value stream(napi_env env, napi_callback_info info)
{
	const size_t alignment = _Alignof(cprng_stream);
	napi_value buffer, array;
	void *memory;

	(void)info;
	if (napi_create_arraybuffer(env, sizeof(cprng_stream) + alignment, &memory, &buffer) != napi_ok)
		return NULL;
	if (napi_create_typedarray(env, napi_uint8_array, sizeof(cprng_stream), buffer, -(uintptr_t)memory % alignment,
				   &array) != napi_ok)
		return NULL;
	return array;
}

static cprng_stream *stream_of(napi_env env, napi_value value)
{
	struct addon_array array;

	if (!addon_array(env, value, &array))
		return NULL;
	if (array.size == 0) {
		napi_throw_error(env, "ERR_INVALID_STATE", "The stream was wiped");
		return NULL;
	}
	if (array.type != napi_uint8_array || array.size != sizeof(cprng_stream) ||
	    (uintptr_t)array.bytes % _Alignof(cprng_stream) != 0) {
		addon_throw_defect(env);
		return NULL;
	}
	return (cprng_stream *)array.bytes;
}

/* Gets count arguments and returns the first, a stream; or throws and returns NULL. */
static cprng_stream *begin(napi_env env, napi_callback_info info, size_t count, napi_value *values)
{
	return addon_arguments(env, info, count, values) ? stream_of(env, values[0]) : NULL;
}

/* Whether the stream has this many bytes left. */
static bool has_left(const cprng_stream *s, uint64_t bytes)
{
	uint64_t at = cprng_stream_tell(s), end = at + bytes;
	cprng_stream copy;
	int error;

	if (end >= at && (at > END_AT || end <= END_AT))
		return true;
	/* A seek refuses offsets past the end. */
	copy = *s;
	error = end < at ? CPRNG_ERR_RANGE : cprng_stream_seek(&copy, end);
	cprng_stream_wipe(&copy);
	return error == CPRNG_OK;
}

/* The same, but throws if it does not. */
static bool has(napi_env env, const cprng_stream *s, uint64_t bytes)
{
	if (has_left(s, bytes))
		return true;
	napi_throw_range_error(env, "ERR_OUT_OF_RANGE", "The stream ends before the last byte of the number");
	return false;
}

/* An engine's name, for which 31 bytes suffice.  A name with a NUL is invalid, not cut. */
static bool engine_of(napi_env env, napi_value value, char name[32])
{
	size_t length;

	if (napi_get_value_string_utf8(env, value, name, 32, &length) != napi_ok) {
		addon_throw_defect(env);
		return false;
	}
	if (strlen(name) != length)
		name[0] = '\0';
	return true;
}

/* seedInteger(stream, engine, seed), seedString(..., NUL-terminated seed), seedBytes(stream, engine, seed): return a status. */
static napi_value seed_integer(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	cprng_stream *s = begin(env, info, 3, values);
	char engine[32];
	uint64_t seed;

	if (s == NULL || !engine_of(env, values[1], engine) || !addon_big(env, values[2], &seed))
		return NULL;
	return addon_status(env, cprng_stream_seed_integer(s, engine, seed));
}

static napi_value seed_string(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	cprng_stream *s = begin(env, info, 3, values);
	struct addon_array text;
	char engine[32];

	if (s == NULL || !engine_of(env, values[1], engine) || !addon_array(env, values[2], &text))
		return NULL;
	if (text.size == 0 || text.bytes[text.size - 1] != '\0') {
		addon_throw_defect(env);
		return NULL;
	}
	return addon_status(env, cprng_stream_seed_string(s, engine, (const char *)text.bytes));
}

static napi_value seed_bytes(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	cprng_stream *s = begin(env, info, 3, values);
	struct addon_array seed;
	char engine[32];

	if (s == NULL || !engine_of(env, values[1], engine) || !addon_array(env, values[2], &seed))
		return NULL;
	return addon_status(env, cprng_stream_seed_bytes(s, engine, seed.bytes, seed.size));
}

/* init(stream, engine, key, nonce): returns a status.  An empty nonce means none. */
static napi_value init(napi_env env, napi_callback_info info)
{
	napi_value values[4];
	cprng_stream *s = begin(env, info, 4, values);
	struct addon_array key, nonce;
	char engine[32];

	if (s == NULL || !engine_of(env, values[1], engine) || !addon_array(env, values[2], &key) ||
	    !addon_array(env, values[3], &nonce))
		return NULL;
	return addon_status(env, cprng_stream_init(s, engine, key.bytes, key.size, nonce.size == 0 ? NULL : nonce.bytes,
						   nonce.size));
}

/* spawn(stream, index, child): returns a status. */
static napi_value spawn(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	cprng_stream *s = begin(env, info, 3, values);
	cprng_stream *child = s == NULL ? NULL : stream_of(env, values[2]);
	uint64_t index;

	if (child == NULL || !addon_big(env, values[1], &index))
		return NULL;
	return addon_status(env, cprng_stream_child(s, index, child));
}

static napi_value wipe(napi_env env, napi_callback_info info)
{
	napi_value value;
	cprng_stream *s = begin(env, info, 1, &value);

	if (s == NULL)
		return NULL;
	cprng_stream_wipe(s);
	return value;
}

/* read(stream, bytes, offset, size): returns a status. */
static napi_value read_bytes(napi_env env, napi_callback_info info)
{
	napi_value values[4];
	cprng_stream *s = begin(env, info, 4, values);
	struct addon_array piece;

	if (s == NULL || !addon_piece(env, values[1], values[2], values[3], &piece))
		return NULL;
	return addon_status(env, cprng_stream_read(s, piece.bytes, piece.size));
}

static napi_value seek(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	uint64_t offset;

	if (s == NULL || !addon_big(env, values[1], &offset))
		return NULL;
	return addon_status(env, cprng_stream_seek(s, offset));
}

static napi_value advance(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	int64_t bytes;
	bool lossless;

	if (s == NULL || napi_get_value_bigint_int64(env, values[1], &bytes, &lossless) != napi_ok)
		return NULL;
	return addon_status(env, cprng_stream_advance(s, bytes));
}

static napi_value tell(napi_env env, napi_callback_info info)
{
	napi_value value;
	cprng_stream *s = begin(env, info, 1, &value);

	return s == NULL ? NULL : addon_bits(env, cprng_stream_tell(s), false);
}

/* save(stream, bytes), restore(stream, bytes): return a status. */
static napi_value save(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	struct addon_array bytes;

	if (s == NULL || !addon_array(env, values[1], &bytes))
		return NULL;
	return addon_status(env, cprng_stream_save(s, bytes.bytes, bytes.size));
}

static napi_value restore(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	struct addon_array bytes;

	if (s == NULL || !addon_array(env, values[1], &bytes))
		return NULL;
	return addon_status(env, cprng_stream_restore(s, bytes.bytes, bytes.size));
}

/* number(stream, bytes): returns the next 1, 2 or 4 bytes as a number, or 8 as a BigInt, even across the buffer's end. */
static napi_value number(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	uint64_t size, result;

	if (s == NULL || !addon_whole(env, values[1], &size) || size > 8 || !has(env, s, size))
		return NULL;
	switch (size) {
	case 1:
		result = cprng_stream_u8(s);
		break;
	case 2:
		result = cprng_stream_u16(s);
		break;
	case 4:
		result = cprng_stream_u32(s);
		break;
	default:
		return addon_bits(env, cprng_stream_u64(s), false);
	}
	return addon_double(env, (double)result);
}

/*
 * Gets a number below bound, or one of 64 bits if bound is 0.  A sample of one number equals cprng_stream_uniform64(), and reports
 * the end of a stream.  There this throws and leaves the offset unchanged.
 */
static bool below(napi_env env, cprng_stream *s, uint64_t bound, uint64_t *number)
{
	if (bound != 0)
		return cprng_stream_sample(s, number, 1, bound) == CPRNG_OK || has(env, s, UINT64_MAX);
	if (!has(env, s, sizeof(*number)))
		return false;
	*number = cprng_stream_u64(s);
	return true;
}

/* uniform(stream, bound): returns a number below bound, which is from 1 to 2^53. */
static napi_value uniform(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	cprng_stream *s = begin(env, info, 2, values);
	uint64_t bound, number;

	if (s == NULL || !addon_whole(env, values[1], &bound) || !below(env, s, bound, &number))
		return NULL;
	return addon_double(env, (double)number);
}

static napi_value integer(napi_env env, napi_callback_info info)
{
	napi_value values[4];
	cprng_stream *s = begin(env, info, 4, values);
	uint64_t first, count, number;
	bool is_signed;

	if (s == NULL || !addon_big(env, values[1], &first) || !addon_big(env, values[2], &count) ||
	    napi_get_value_bool(env, values[3], &is_signed) != napi_ok || !below(env, s, count, &number))
		return NULL;
	return addon_bits(env, first + number, is_signed);
}

/* Whether the stream has count numbers below bound; throws if not. */
static bool has_numbers(napi_env env, const cprng_stream *s, uint64_t bound, size_t count)
{
	cprng_stream copy;
	uint64_t number;
	bool all = true;

	if (has_left(s, TRIES_BYTES(count)))
		return true;
	copy = *s;
	for (size_t i = 0; i < count && all; i++)
		all = below(env, &copy, bound, &number);
	cprng_stream_wipe(&copy);
	return all;
}

static napi_value fill_integers(napi_env env, napi_callback_info info)
{
	napi_value values[4];
	cprng_stream *s = begin(env, info, 4, values);
	struct addon_integers integers;

	if (s == NULL || !addon_integers(env, values + 1, &integers) ||
	    !has_numbers(env, s, integers.bound, integers.count))
		return NULL;
	return addon_fill_integers(env, s, values[1], &integers);
}

/* double(stream); normal(stream), exponential(stream): standard numbers, which JavaScript scales with the same operations as C. */
#define DEFINE_DOUBLE(name, ...) \
	static napi_value name##_of(napi_env env, napi_callback_info info) \
	{ \
		napi_value value; \
		cprng_stream *s = begin(env, info, 1, &value); \
		return s == NULL || !has(env, s, 8) ? NULL : addon_double(env, cprng_stream_##name(__VA_ARGS__)); \
	}
DEFINE_DOUBLE(double, s)
DEFINE_DOUBLE(normal, s, 0, 1)
DEFINE_DOUBLE(exponential, s, 1)

/* fillNumbers(stream, kind, array, a, b): returns a status. */
static napi_value fill_numbers(napi_env env, napi_callback_info info)
{
	napi_value values[5];
	cprng_stream *s = begin(env, info, 5, values);

	return s == NULL ? NULL : addon_fill_numbers(env, s, values + 1);
}

/* sample(stream, array, n): returns a status. */
static napi_value sample(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	cprng_stream *s = begin(env, info, 3, values);
	struct addon_array array;
	uint64_t n;

	if (s == NULL || !addon_sample(env, values[1], &array) || !addon_big(env, values[2], &n))
		return NULL;
	return addon_end_sample(env, &array, cprng_stream_sample(s, (uint64_t *)array.bytes, addon_count(&array), n));
}

/* shuffle(stream, array): puts a typed array into random order, or returns false if the stream might end before. */
static napi_value shuffle(napi_env env, napi_callback_info info)
{
	napi_value values[2], none;
	cprng_stream *s = begin(env, info, 2, values);
	struct addon_array array;

	if (s == NULL || !addon_array(env, values[1], &array))
		return NULL;
	if (!has_left(s, TRIES_BYTES(addon_count(&array))))
		return napi_get_boolean(env, false, &none) == napi_ok ? none : NULL;
	cprng_stream_shuffle(s, array.bytes, addon_count(&array), addon_element_size(&array));
	return values[1];
}

/*
 * layout(): returns [buffer, size, low, high] for lib/stream.js: the buffer's offset and size, and the offsets of the halves of
 * `next` in units of 4 bytes, which are equal if it has 32 bits.
 */
static napi_value layout(napi_env env, napi_callback_info info)
{
	const uint32_t next = offsetof(cprng_stream, next) / 4, halves = sizeof(ptrdiff_t) / 4;
	const uint32_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? halves - 1 : 0;
	const uint32_t values[] = { offsetof(cprng_stream, buffer), CPRNG_STREAM_BUFFER, next + low,
				    next + (halves - 1 - low) };
	napi_value result, value;

	(void)info;
	if (napi_create_array(env, &result) != napi_ok)
		return NULL;
	for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (napi_create_uint32(env, values[i], &value) != napi_ok ||
		    napi_set_element(env, result, i, value) != napi_ok)
			return NULL;
	}
	return result;
}

const napi_property_descriptor addon_stream_functions[] = {
	{ "stream", NULL, stream, NULL, NULL, NULL, napi_default, NULL },
	{ "streamLayout", NULL, layout, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSeedInteger", NULL, seed_integer, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSeedString", NULL, seed_string, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSeedBytes", NULL, seed_bytes, NULL, NULL, NULL, napi_default, NULL },
	{ "streamInit", NULL, init, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSpawn", NULL, spawn, NULL, NULL, NULL, napi_default, NULL },
	{ "streamWipe", NULL, wipe, NULL, NULL, NULL, napi_default, NULL },
	{ "streamRead", NULL, read_bytes, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSeek", NULL, seek, NULL, NULL, NULL, napi_default, NULL },
	{ "streamAdvance", NULL, advance, NULL, NULL, NULL, napi_default, NULL },
	{ "streamTell", NULL, tell, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSave", NULL, save, NULL, NULL, NULL, napi_default, NULL },
	{ "streamRestore", NULL, restore, NULL, NULL, NULL, napi_default, NULL },
	{ "streamNumber", NULL, number, NULL, NULL, NULL, napi_default, NULL },
	{ "streamDouble", NULL, double_of, NULL, NULL, NULL, napi_default, NULL },
	{ "streamUniform", NULL, uniform, NULL, NULL, NULL, napi_default, NULL },
	{ "streamInteger", NULL, integer, NULL, NULL, NULL, napi_default, NULL },
	{ "streamFillIntegers", NULL, fill_integers, NULL, NULL, NULL, napi_default, NULL },
	{ "streamNormal", NULL, normal_of, NULL, NULL, NULL, napi_default, NULL },
	{ "streamExponential", NULL, exponential_of, NULL, NULL, NULL, napi_default, NULL },
	{ "streamFillNumbers", NULL, fill_numbers, NULL, NULL, NULL, napi_default, NULL },
	{ "streamShuffle", NULL, shuffle, NULL, NULL, NULL, napi_default, NULL },
	{ "streamSample", NULL, sample, NULL, NULL, NULL, napi_default, NULL },
	{ 0 },
};

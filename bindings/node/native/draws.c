/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by one call of C each, and functions for the whole process. */
#include "addon.h"

#include <string.h>

static napi_value fill(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	struct addon_array piece;

	if (!addon_arguments(env, info, 3, values) || !addon_piece(env, values[0], values[1], values[2], &piece))
		return NULL;
	addon_notice_generation();
	cprng_fast(piece.bytes, piece.size);
	return values[0];
}

static napi_value strong(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	struct addon_array piece;

	if (!addon_arguments(env, info, 3, values) || !addon_piece(env, values[0], values[1], values[2], &piece))
		return NULL;
	addon_notice_generation();
	cprng_strong(piece.bytes, piece.size);
	return values[0];
}

/* word(): 32 random bits. */
static napi_value word(napi_env env, napi_callback_info info)
{
	napi_value result;

	(void)info;
	return napi_create_uint32(env, cprng_fast32(), &result) == napi_ok ? result : NULL;
}

/* Erases memory with stores that the compiler keeps. */
static void wipe(void *memory, size_t size)
{
	memset(memory, 0, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

/* Return a UUID as a string, of which only the caller's remains. */
static napi_value uuid_string(napi_env env, unsigned char bytes[16])
{
	char text[37];
	napi_value result = NULL;

	cprng_uuid_text(text, bytes);
	if (napi_create_string_latin1(env, text, sizeof(text) - 1, &result) != napi_ok)
		result = NULL;
	wipe(bytes, 16);
	wipe(text, sizeof(text));
	return result;
}

/* uuid(), uuid7(): a UUID of version 4 or 7 (RFC 9562). */
static napi_value uuid(napi_env env, napi_callback_info info)
{
	unsigned char bytes[16];

	(void)info;
	addon_notice_generation();
	cprng_uuid4(bytes);
	return uuid_string(env, bytes);
}

static napi_value uuid7(napi_env env, napi_callback_info info)
{
	unsigned char bytes[16];
	int status;

	(void)info;
	addon_notice_generation();
	status = cprng_uuid7(bytes);
	if (status == CPRNG_OK)
		return uuid_string(env, bytes);
	napi_throw_error(env, "ERR_CPRNG", cprng_strerror(status));
	return NULL;
}

/* Returns first plus a uniform integer below count, modulo 2^64; a count of 0 means 2^64. */
static uint64_t integer_from(uint64_t first, uint64_t count)
{
	return first + (count == 0 ? cprng_fast64() : cprng_uniform64(count));
}

static napi_value integer(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	uint64_t first, count;
	bool is_signed;

	if (!addon_arguments(env, info, 3, values) || !addon_big(env, values[0], &first) ||
	    !addon_big(env, values[1], &count) || napi_get_value_bool(env, values[2], &is_signed) != napi_ok)
		return NULL;
	return addon_bits(env, integer_from(first, count), is_signed);
}

static napi_value fill_integers(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	struct addon_integers integers;

	if (!addon_arguments(env, info, 3, values) || !addon_integers(env, values, &integers))
		return NULL;
	return addon_fill_integers(env, NULL, values[0], &integers);
}

/* shuffle(array): puts the elements of a typed array into random order. */
static napi_value shuffle(napi_env env, napi_callback_info info)
{
	napi_value value;
	struct addon_array array;

	if (!addon_arguments(env, info, 1, &value) || !addon_array(env, value, &array))
		return NULL;
	addon_notice_generation();
	cprng_shuffle(array.bytes, addon_count(&array), addon_element_size(&array));
	return value;
}

/* normal(), exponential(): draw from the standard distributions. */
static napi_value normal(napi_env env, napi_callback_info info)
{
	(void)info;
	return addon_double(env, cprng_normal(0, 1));
}

static napi_value exponential(napi_env env, napi_callback_info info)
{
	(void)info;
	return addon_double(env, cprng_exponential(1));
}

static napi_value fill_numbers(napi_env env, napi_callback_info info)
{
	napi_value values[4];

	return addon_arguments(env, info, 4, values) ? addon_fill_numbers(env, NULL, values) : NULL;
}

/* sample(array, n): returns a status. */
static napi_value sample(napi_env env, napi_callback_info info)
{
	napi_value values[2];
	struct addon_array array;
	uint64_t n;

	if (!addon_arguments(env, info, 2, values) || !addon_sample(env, values[0], &array) ||
	    !addon_big(env, values[1], &n))
		return NULL;
	return addon_end_sample(env, &array, cprng_sample((uint64_t *)array.bytes, addon_count(&array), n));
}

static napi_value invalidate(napi_env env, napi_callback_info info)
{
	napi_value result;

	(void)info;
	cprng_invalidate();
	addon_notice_generation();
	return napi_get_undefined(env, &result) == napi_ok ? result : NULL;
}

static napi_value reseed(napi_env env, napi_callback_info info)
{
	int status = cprng_reseed();

	(void)info;
	if (status == CPRNG_OK)
		addon_notice_generation();
	return addon_status(env, status);
}

static napi_value text(napi_env env, const char *string)
{
	napi_value result;

	return napi_create_string_utf8(env, string, NAPI_AUTO_LENGTH, &result) == napi_ok ? result : NULL;
}

static napi_value version(napi_env env, napi_callback_info info)
{
	(void)info;
	return text(env, cprng_version());
}

static napi_value message(napi_env env, napi_callback_info info)
{
	napi_value value;
	int32_t status;

	if (!addon_arguments(env, info, 1, &value) || napi_get_value_int32(env, value, &status) != napi_ok)
		return NULL;
	return text(env, cprng_strerror(status));
}

static napi_value info_of(napi_env env, napi_callback_info unused)
{
	struct cprng_info about;
	napi_value result;

	(void)unused;
	cprng_get_info(&about, sizeof(about));
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "engine", about.engine },          { "backend", about.backend },
		{ "placement", about.placement },    { "entropy", about.entropy },
		{ "forkGuard", about.fork_guard },   { "memoryLock", about.memory_lock },
		{ "blockLock", addon_block_lock() },
	};

	if (napi_create_object(env, &result) != napi_ok)
		return NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (napi_set_named_property(env, result, texts[i].name, text(env, texts[i].value)) != napi_ok)
			return NULL;
	}
	return result;
}

const napi_property_descriptor addon_draw_functions[] = {
	{ "fill", NULL, fill, NULL, NULL, NULL, napi_default, NULL },
	{ "strong", NULL, strong, NULL, NULL, NULL, napi_default, NULL },
	{ "word", NULL, word, NULL, NULL, NULL, napi_default, NULL },
	{ "uuid", NULL, uuid, NULL, NULL, NULL, napi_default, NULL },
	{ "uuid7", NULL, uuid7, NULL, NULL, NULL, napi_default, NULL },
	{ "integer", NULL, integer, NULL, NULL, NULL, napi_default, NULL },
	{ "fillIntegers", NULL, fill_integers, NULL, NULL, NULL, napi_default, NULL },
	{ "shuffle", NULL, shuffle, NULL, NULL, NULL, napi_default, NULL },
	{ "normal", NULL, normal, NULL, NULL, NULL, napi_default, NULL },
	{ "exponential", NULL, exponential, NULL, NULL, NULL, napi_default, NULL },
	{ "fillNumbers", NULL, fill_numbers, NULL, NULL, NULL, napi_default, NULL },
	{ "sample", NULL, sample, NULL, NULL, NULL, napi_default, NULL },
	{ "invalidate", NULL, invalidate, NULL, NULL, NULL, napi_default, NULL },
	{ "reseed", NULL, reseed, NULL, NULL, NULL, napi_default, NULL },
	{ "version", NULL, version, NULL, NULL, NULL, napi_default, NULL },
	{ "message", NULL, message, NULL, NULL, NULL, napi_default, NULL },
	{ "info", NULL, info_of, NULL, NULL, NULL, napi_default, NULL },
	{ 0 },
};

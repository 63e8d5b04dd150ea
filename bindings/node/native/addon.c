/* SPDX-License-Identifier: BSD-2-Clause */
/* The addon's functions, from the tables of calls.h. */
#include "addon.h"

#include <string.h>

/* Maximum number of arguments of a function. */
#define MOST_ARGUMENTS 6

static bool throw_defect(napi_env env)
{
	bool pending = false;

	if (napi_is_exception_pending(env, &pending) == napi_ok && !pending)
		napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "The addon of cprng got what lib/ does not give it");
	return false;
}

/* Get a typed array's current address, size in bytes and type.  A detached or out-of-bounds array has no bytes. */
static bool get_array(napi_env env, napi_value value, union value *array)
{
	/* Stays so for types that Node-API does not know. */
	napi_typedarray_type type = (napi_typedarray_type)-1;
	void *bytes = NULL;
	size_t length = 0;

	if (napi_get_typedarray_info(env, value, &type, &length, &bytes, NULL, NULL) != napi_ok ||
	    cprng_node_element_size((uint64_t)type) == 0)
		return throw_defect(env);
	array[0].p = bytes;
	array[1].u = bytes == NULL ? 0 : length * cprng_node_element_size((uint64_t)type);
	array[2].u = (uint64_t)type;
	return true;
}

static bool get_stream(napi_env env, napi_value value, union value *result)
{
	union value array[3];

	if (!get_array(env, value, array))
		return false;
	if (array[1].u == 0) {
		napi_throw_error(env, "ERR_INVALID_STATE", "The stream was wiped");
		return false;
	}
	if (array[2].u != UINT8 || array[1].u != sizeof(cprng_stream) ||
	    (uintptr_t)array[0].p % _Alignof(cprng_stream) != 0)
		return throw_defect(env);
	result->s = array[0].p;
	return true;
}

static bool get_whole(napi_env env, napi_value value, union value *result)
{
	double number;

	/* Also false for NaN. */
	if (napi_get_value_double(env, value, &number) != napi_ok || !(number >= 0 && number <= 9007199254740992.0))
		return throw_defect(env);
	result->u = (uint64_t)number;
	return true;
}

/* The part of a Uint8Array from arguments[0] on, with offset and size. */
static bool get_piece(napi_env env, const napi_value *arguments, union value *piece)
{
	union value from, size;

	if (!get_array(env, arguments[0], piece) || !get_whole(env, arguments[1], &from) ||
	    !get_whole(env, arguments[2], &size))
		return false;
	if (piece[2].u != UINT8)
		return throw_defect(env);
	if (from.u > piece[1].u || size.u > piece[1].u - from.u) {
		napi_throw_range_error(env, "ERR_OUT_OF_RANGE", "The buffer is detached, or smaller than it was");
		return false;
	}
	piece[0].p = (unsigned char *)piece[0].p + from.u;
	piece[1].u = size.u;
	return true;
}

/* An engine's name, for which 31 bytes suffice.  A name with a NUL is invalid, not cut. */
static bool get_engine(napi_env env, napi_value value, char name[NAME_SIZE], union value *result)
{
	size_t length;

	if (napi_get_value_string_utf8(env, value, name, NAME_SIZE, &length) != napi_ok)
		return throw_defect(env);
	if (strlen(name) != length)
		name[0] = '\0';
	result->text = name;
	return true;
}

/* Convert the arguments of a call.  Returns false after it has thrown an exception. */
static bool get_values(napi_env env, const char *letters, const napi_value *arguments, size_t count, char *engine,
		       union value *value)
{
	bool lossless, got = true;
	size_t i = 0;

	for (; *letters != '\0' && got; letters++, i++) {
		if (i + (*letters == 'p' ? 2 : 0) >= count)
			return throw_defect(env);
		switch (*letters) {
		case 's':
			got = get_stream(env, arguments[i], value++);
			break;
		case 'n':
			got = get_engine(env, arguments[i], engine, value++);
			break;
		case 'b':
			got = napi_get_value_bigint_uint64(env, arguments[i], &value++->u, &lossless) == napi_ok ||
			      throw_defect(env);
			break;
		case 'd':
			got = napi_get_value_double(env, arguments[i], &value++->d) == napi_ok || throw_defect(env);
			break;
		case 'w':
			got = get_whole(env, arguments[i], value++);
			break;
		case 'p':
			got = get_piece(env, arguments + i, value);
			i += 2;
			value += 3;
			break;
		default:
			got = get_array(env, arguments[i], value);
			value += 3;
		}
	}
	return got && (i == count || throw_defect(env));
}

static napi_value result_of(napi_env env, char kind, const union value *value, int error)
{
	napi_value result;
	napi_status status;

	if (kind == 0) {
		status = napi_create_int32(env, error, &result);
	} else if (error == CPRNG_OK) {
		status = kind == 'b' ? napi_create_bigint_uint64(env, value->u, &result) :
			 kind == 'd' ? napi_create_double(env, value->d, &result) :
				       napi_create_string_latin1(env, value->text, NAPI_AUTO_LENGTH, &result);
	} else {
		if (error == CPRNG_ERR_ARGUMENT)
			throw_defect(env);
		else if (error == CPRNG_ERR_RANGE)
			napi_throw_range_error(env, "ERR_OUT_OF_RANGE",
					       "The stream ends before the last byte of the number");
		else
			napi_throw_error(env, "ERR_CPRNG", cprng_strerror(error));
		return NULL;
	}
	return status == napi_ok ? result : NULL;
}

static napi_value call(napi_env env, napi_callback_info info)
{
	const struct call *called;
	napi_value arguments[MOST_ARGUMENTS], result = NULL;
	union value values[MOST_VALUES];
	char engine[NAME_SIZE];
	size_t count = MOST_ARGUMENTS;
	void *data;

	if (napi_get_cb_info(env, info, &count, arguments, NULL, &data) != napi_ok)
		return NULL;
	called = data;
	if (count > MOST_ARGUMENTS) {
		throw_defect(env);
	} else if (get_values(env, called->arguments, arguments, count, engine, values)) {
		const int error = called->function(values);

		result = result_of(env, called->result, values, error);
		/* Leave no result that the caller cannot erase. */
		memset(values, 0, sizeof(values));
		__asm__ volatile("" : : "r"(values) : "memory");
	}
	return result;
}

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

static bool define(napi_env env, napi_value exports, const char *name, napi_callback function, const struct call *data)
{
	const napi_property_descriptor descriptor = {
		name, NULL, function, NULL, NULL, NULL, napi_default, (void *)data
	};

	return napi_define_properties(env, exports, 1, &descriptor) == napi_ok;
}

static bool define_calls(napi_env env, napi_value exports, const struct call *calls)
{
	for (; calls->name != NULL; calls++)
		if (!define(env, exports, calls->name, call, calls))
			return false;
	return true;
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	return define(env, exports, "stream", stream, NULL) && define(env, exports, "block", addon_block, NULL) &&
			       define_calls(env, exports, cprng_node_calls) &&
			       define_calls(env, exports, addon_draw_calls) ?
		       exports :
		       NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "addon.h"
#include "integers.h"

#include <string.h>

void addon_throw_defect(napi_env env)
{
	bool pending = false;

	if (napi_is_exception_pending(env, &pending) == napi_ok && !pending)
		napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "The addon of cprng got what lib/ does not give it");
}

bool addon_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values)
{
	size_t given = count;

	if (napi_get_cb_info(env, info, &given, values, NULL, NULL) == napi_ok && given == count)
		return true;
	addon_throw_defect(env);
	return false;
}

static size_t element_size(napi_typedarray_type type)
{
	switch (type) {
	case napi_int8_array:
	case napi_uint8_array:
	case napi_uint8_clamped_array:
		return 1;
	case napi_int16_array:
	case napi_uint16_array:
		return 2;
	case napi_int32_array:
	case napi_uint32_array:
	case napi_float32_array:
		return 4;
	case napi_float64_array:
	case napi_bigint64_array:
	case napi_biguint64_array:
		return 8;
	default: /* types of later Node versions */
		return 0;
	}
}

bool addon_array(napi_env env, napi_value value, struct addon_array *array)
{
	void *bytes = NULL;
	size_t length = 0;

	/* Stays so for types that Node-API does not know. */
	array->type = (napi_typedarray_type)-1;
	if (napi_get_typedarray_info(env, value, &array->type, &length, &bytes, NULL, NULL) != napi_ok ||
	    element_size(array->type) == 0) {
		addon_throw_defect(env);
		return false;
	}
	array->bytes = bytes;
	array->size = bytes == NULL ? 0 : length * element_size(array->type);
	return true;
}

bool addon_piece(napi_env env, napi_value array, napi_value offset, napi_value size, struct addon_array *piece)
{
	uint64_t from, length;

	if (!addon_array(env, array, piece) || !addon_whole(env, offset, &from) || !addon_whole(env, size, &length))
		return false;
	if (piece->type != napi_uint8_array) {
		addon_throw_defect(env);
		return false;
	}
	if (from > piece->size || length > piece->size - from) {
		napi_throw_range_error(env, "ERR_OUT_OF_RANGE", "The buffer is detached, or smaller than it was");
		return false;
	}
	piece->bytes += from;
	piece->size = (size_t)length;
	return true;
}

bool addon_numbers(napi_env env, napi_value value, uint32_t kind, struct addon_array *array, size_t *count)
{
	static const napi_typedarray_type types[ADDON_KINDS] = {
		[ADDON_U32] = napi_uint32_array,     [ADDON_U64] = napi_biguint64_array,
		[ADDON_FLOAT] = napi_float32_array,  [ADDON_DOUBLE] = napi_float64_array,
		[ADDON_NORMAL] = napi_float64_array, [ADDON_EXPONENTIAL] = napi_float64_array,
	};

	if (!addon_array(env, value, array))
		return false;
	if (kind >= ADDON_KINDS || array->type != types[kind]) {
		addon_throw_defect(env);
		return false;
	}
	*count = addon_count(array);
	return true;
}

int addon_fill(cprng_stream *stream, uint32_t kind, void *numbers, size_t count, double a, double b)
{
	switch ((enum addon_kind)kind) {
	case ADDON_U32:
		return FILL(stream, u32, numbers, count);
	case ADDON_U64:
		return FILL(stream, u64, numbers, count);
	case ADDON_FLOAT:
		return FILL(stream, float, numbers, count);
	case ADDON_DOUBLE:
		return FILL(stream, double, numbers, count);
	case ADDON_NORMAL:
		return FILL(stream, normal, numbers, count, a, b);
	case ADDON_EXPONENTIAL:
		return FILL(stream, exponential, numbers, count, a);
	case ADDON_KINDS:
		break;
	}
	return CPRNG_ERR_ARGUMENT;
}

napi_value addon_fill_numbers(napi_env env, cprng_stream *stream, const napi_value *values)
{
	struct addon_array array;
	size_t count;
	uint32_t kind;
	double a, b;

	if (napi_get_value_uint32(env, values[0], &kind) != napi_ok ||
	    !addon_numbers(env, values[1], kind, &array, &count) ||
	    napi_get_value_double(env, values[2], &a) != napi_ok ||
	    napi_get_value_double(env, values[3], &b) != napi_ok)
		return NULL;
	return addon_status(env, addon_fill(stream, kind, array.bytes, count, a, b));
}

size_t addon_count(const struct addon_array *array)
{
	return array->size / element_size(array->type);
}

size_t addon_element_size(const struct addon_array *array)
{
	return element_size(array->type);
}

bool addon_integers(napi_env env, const napi_value *values, struct addon_integers *integers)
{
	if (!addon_array(env, values[0], &integers->array) || !addon_big(env, values[1], &integers->first) ||
	    !addon_big(env, values[2], &integers->bound))
		return false;
	integers->count = addon_count(&integers->array);
	switch (integers->array.type) {
	case napi_int32_array:
	case napi_uint32_array:
		integers->type = INTEGERS_32;
		return true;
	case napi_bigint64_array:
	case napi_biguint64_array:
		integers->type = INTEGERS_64;
		return true;
	case napi_float64_array:
		integers->type = INTEGERS_DOUBLE;
		return true;
	default:
		addon_throw_defect(env);
		return false;
	}
}

napi_value addon_fill_integers(napi_env env, cprng_stream *stream, napi_value result,
			       const struct addon_integers *integers)
{
	if (cprng_node_integers(stream, integers->type, integers->array.bytes, integers->count, integers->first,
				integers->bound) == CPRNG_OK)
		return result;
	addon_throw_defect(env);
	return NULL;
}

bool addon_sample(napi_env env, napi_value value, struct addon_array *array)
{
	if (!addon_array(env, value, array))
		return false;
	if (array->type == napi_biguint64_array || array->type == napi_float64_array)
		return true;
	addon_throw_defect(env);
	return false;
}

napi_value addon_end_sample(napi_env env, const struct addon_array *array, int status)
{
	if (status == CPRNG_OK && array->type == napi_float64_array)
		cprng_node_doubles(array->bytes, addon_count(array), 0);
	return addon_status(env, status);
}

bool addon_big(napi_env env, napi_value value, uint64_t *result)
{
	bool lossless;

	if (napi_get_value_bigint_uint64(env, value, result, &lossless) == napi_ok)
		return true;
	addon_throw_defect(env);
	return false;
}

bool addon_whole(napi_env env, napi_value value, uint64_t *result)
{
	double number;

	/* Also false for NaN. */
	if (napi_get_value_double(env, value, &number) == napi_ok && number >= 0 && number <= 9007199254740992.0) {
		*result = (uint64_t)number;
		return true;
	}
	addon_throw_defect(env);
	return false;
}

napi_value addon_status(napi_env env, int status)
{
	napi_value result;

	return napi_create_int32(env, status, &result) == napi_ok ? result : NULL;
}

napi_value addon_double(napi_env env, double value)
{
	napi_value result;

	return napi_create_double(env, value, &result) == napi_ok ? result : NULL;
}

napi_value addon_bits(napi_env env, uint64_t bits, bool is_signed)
{
	napi_value result;
	napi_status status = is_signed ? napi_create_bigint_int64(env, (int64_t)bits, &result) :
					 napi_create_bigint_uint64(env, bits, &result);

	return status == napi_ok ? result : NULL;
}

static bool define(napi_env env, napi_value exports, const napi_property_descriptor *functions)
{
	size_t count = 0;

	while (functions[count].utf8name != NULL)
		count++;
	return napi_define_properties(env, exports, count, functions) == napi_ok;
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	if (!define(env, exports, addon_draw_functions) || !define(env, exports, addon_block_functions) ||
	    !define(env, exports, addon_stream_functions))
		return NULL;
	return exports;
}

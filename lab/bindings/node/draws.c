/* SPDX-License-Identifier: BSD-2-Clause */
/* A prototype of a binding for Node: fill(bytes) of a Uint8Array, and number() in [0, 1), by N-API. */
#include <node_api.h>

#include <cprng/cprng.h>

static napi_value fill(napi_env env, napi_callback_info info)
{
	napi_value argument;
	size_t count = 1, length = 0;
	void *bytes = NULL;

	if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok ||
	    napi_get_typedarray_info(env, argument, NULL, &length, &bytes, NULL, NULL) != napi_ok) {
		napi_throw_type_error(env, NULL, "fill(bytes): a Uint8Array");
		return NULL;
	}
	cprng_fast(bytes, length);
	return argument;
}

static napi_value number(napi_env env, napi_callback_info info)
{
	napi_value result;

	(void)info;
	return napi_create_double(env, cprng_double(), &result) == napi_ok ? result : NULL;
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	const napi_property_descriptor functions[] = {
		{ "fill", NULL, fill, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "number", NULL, number, NULL, NULL, NULL, napi_enumerable, NULL },
	};
	return napi_define_properties(env, exports, 2, functions) == napi_ok ? exports : NULL;
}

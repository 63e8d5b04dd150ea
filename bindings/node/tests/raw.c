/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for tests that Node lacks: a forked child's view of an array, and the array's address. */
#define NAPI_VERSION 8
#include <node_api.h>

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* inChild(view): a Buffer with the contents that a forked child sees.  It runs no JavaScript: V8 hides its heap from children. */
static napi_value in_child(napi_env env, napi_callback_info info)
{
	napi_value view, result;
	size_t count = 1, size = 0, got = 0;
	void *bytes = NULL, *copy;
	int ends[2], status = -1;
	pid_t child;

	if (napi_get_cb_info(env, info, &count, &view, NULL, NULL) != napi_ok ||
	    napi_get_typedarray_info(env, view, NULL, &size, &bytes, NULL, NULL) != napi_ok)
		return NULL;
	size *= sizeof(uint32_t);
	if (napi_create_buffer(env, size, &copy, &result) != napi_ok || pipe(ends) != 0)
		abort();
	child = fork();
	if (child == 0)
		_exit(write(ends[1], bytes, size) == (ssize_t)size ? 0 : 1);
	close(ends[1]);
	for (ssize_t more; got < size && (more = read(ends[0], (char *)copy + got, size - got)) > 0;)
		got += (size_t)more;
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || got != size)
		napi_throw_error(env, NULL, "the child failed");
	return result;
}

/* address(view): as a BigInt. */
static napi_value address(napi_env env, napi_callback_info info)
{
	napi_value view, result;
	size_t count = 1;
	void *bytes = NULL;

	if (napi_get_cb_info(env, info, &count, &view, NULL, NULL) != napi_ok ||
	    napi_get_typedarray_info(env, view, NULL, NULL, &bytes, NULL, NULL) != napi_ok)
		return NULL;
	napi_create_bigint_uint64(env, (uintptr_t)bytes, &result);
	return result;
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	const napi_property_descriptor functions[] = {
		{ "inChild", NULL, in_child, NULL, NULL, NULL, napi_default, NULL },
		{ "address", NULL, address, NULL, NULL, NULL, napi_default, NULL },
	};

	return napi_define_properties(env, exports, 2, functions) == napi_ok ? exports : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that Node lacks, for tests: a forked child's view of an array, the array's address, and a copy of the process. */
#define NAPI_VERSION 8
#include <node_api.h>

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* inChild(view): a Buffer with the contents that a forked child sees.  The child runs no JavaScript: V8 hides its heap from it. */
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

/* For tests that preload this file: accepts any advice without effect, as old emulators do. */
int madvise(void *page, size_t size, int advice)
{
	(void)page;
	(void)size;
	(void)advice;
	return 0;
}

/* address(view): returns the address as a BigInt. */
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

/* fork(): returns the child's number, and 0 in the child, which runs JavaScript; fork is that of tests/system/dropin/copied.c. */
static napi_value fork_here(napi_env env, napi_callback_info info)
{
	napi_value result;

	(void)info;
	napi_create_int32(env, fork(), &result);
	return result;
}

/* wait(pid): returns the child's status. */
static napi_value wait_for(napi_env env, napi_callback_info info)
{
	napi_value pid, result;
	size_t count = 1;
	int32_t number = -1;
	int status = -1;

	if (napi_get_cb_info(env, info, &count, &pid, NULL, NULL) != napi_ok ||
	    napi_get_value_int32(env, pid, &number) != napi_ok)
		return NULL;
	(void)waitpid(number, &status, 0);
	napi_create_int32(env, status, &result);
	return result;
}

/* end(): exits without handlers and threads, because a copy lacks threads. */
static napi_value end_here(napi_env env, napi_callback_info info)
{
	(void)env;
	(void)info;
	_exit(0);
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	const napi_property_descriptor functions[] = {
		{ "inChild", NULL, in_child, NULL, NULL, NULL, napi_default, NULL },
		{ "address", NULL, address, NULL, NULL, NULL, napi_default, NULL },
		{ "fork", NULL, fork_here, NULL, NULL, NULL, napi_default, NULL },
		{ "wait", NULL, wait_for, NULL, NULL, NULL, napi_default, NULL },
		{ "end", NULL, end_here, NULL, NULL, NULL, napi_default, NULL },
	};

	return napi_define_properties(env, exports, sizeof(functions) / sizeof(functions[0]), functions) == napi_ok ?
		       exports :
		       NULL;
}

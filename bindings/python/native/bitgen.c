/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NumPy's bit generators: the functions that numpy.random.Generator calls for each number.  They stand in the struct that
 * a numpy.random.BitGenerator holds and its capsule points to.
 */
#include "core.h"

/*
 * The struct of numpy/random/bitgen.h, documented and stable since NumPy 1.17.  It is repeated here so that compiling
 * needs no NumPy and one binary serves all versions.
 */
struct bitgen {
	void *state;
	uint64_t (*next_uint64)(void *state);
	uint32_t (*next_uint32)(void *state);
	double (*next_double)(void *state);
	uint64_t (*next_raw)(void *state);
};

static const char capsule_name[] = "BitGenerator";

#define DEFINE_NUMBER(type, number, draw, streams) \
	static type system_##number(void *state) \
	{ \
		(void)state; \
		return draw(); \
	} \
	static type stream_##number(void *state) \
	{ \
		return streams(state); \
	}
DEFINE_NUMBER(uint64_t, uint64, cprng_fast64, cprng_stream_u64)
DEFINE_NUMBER(uint32_t, uint32, cprng_fast32, cprng_stream_u32)
DEFINE_NUMBER(double, double, cprng_double, cprng_stream_double)

static void release_stream(PyObject *capsule)
{
	PyObject *stream = PyCapsule_GetContext(capsule);

	Py_XDECREF(stream);
}

/* connect(capsule, stream or None): makes the capsule's bit generator draw from the stream. */
static PyObject *connect(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct bitgen *bitgen;
	cprng_stream *stream;

	if (!core_check_arguments("connect", count, 2, 2))
		return NULL;
	bitgen = PyCapsule_GetPointer(arguments[0], capsule_name);
	if (bitgen == NULL)
		return NULL;
	stream = core_stream_of(module, arguments[1]);
	if (stream == NULL && PyErr_Occurred())
		return NULL;
	if (stream == NULL) {
		/* The state is unused, but some programs test it for NULL. */
		*bitgen = (struct bitgen){ bitgen, system_uint64, system_uint32, system_double, system_uint64 };
		return core_none();
	}
	/* The capsule lives as long as its bit generator, and holds a reference to the stream. */
	if (PyCapsule_GetContext(arguments[0]) != NULL) {
		PyErr_SetString(PyExc_ValueError, "the bit generator already has a stream");
		return NULL;
	}
	if (PyCapsule_SetContext(arguments[0], arguments[1]) != 0 ||
	    PyCapsule_SetDestructor(arguments[0], release_stream) != 0)
		return NULL;
	Py_INCREF(arguments[1]);
	*bitgen = (struct bitgen){ stream, stream_uint64, stream_uint32, stream_double, stream_uint64 };
	return core_none();
}

PyMethodDef core_bitgen_functions[] = {
	{ "connect", FAST_METHOD(connect), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};

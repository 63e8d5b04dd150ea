/* SPDX-License-Identifier: BSD-2-Clause */
/* Shuffles, in the order of cprng_stream_shuffle() for streams. */
#include "core.h"

static int exchange(PyObject *sequence, Py_ssize_t i, Py_ssize_t j)
{
	PyObject *a = PySequence_GetItem(sequence, i), *b = a == NULL ? NULL : PySequence_GetItem(sequence, j);
	const bool done = b != NULL && PySequence_SetItem(sequence, i, b) == 0 &&
			  PySequence_SetItem(sequence, j, a) == 0;

	Py_XDECREF(a);
	Py_XDECREF(b);
	return done ? 0 : -1;
}

PyObject *core_shuffle(cprng_stream *stream, PyObject *sequence)
{
	/* This many exchanges take a few milliseconds. */
	enum { PIECE = 16384 };
	const uint64_t before = cprng_stream_tell(stream);

	for (Py_ssize_t i = PySequence_Size(sequence) - 1; i > 0; i--) {
		uint64_t chosen;
		const int error = core_below(stream, (uint64_t)i + 1, &chosen);

		if (error != 0)
			return core_finished(stream, before, error);
		if (exchange(sequence, i, (Py_ssize_t)chosen) != 0 || (i % PIECE == 0 && core_pause() != 0))
			return NULL;
	}
	return PyErr_Occurred() ? NULL : core_none();
}

/* exchange(stream or None, sequence): shuffle a mutable sequence. */
static PyObject *exchange_all(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	cprng_stream *stream;

	if (!core_check_arguments("exchange", count, 2))
		return NULL;
	stream = core_stream_of(module, arguments[0]);
	return PyErr_Occurred() ? NULL : core_shuffle(stream, arguments[1]);
}

/* permute(stream or None, array of int64): shuffle an array of indexes, without the interpreter's lock if it is long. */
static PyObject *permute(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	cprng_stream *stream;
	PyThreadState *state = NULL;
	Py_buffer view;
	size_t size;
	int error = 0;

	if (!core_check_arguments("permute", count, 2))
		return NULL;
	stream = core_stream_of(module, arguments[0]);
	if (PyErr_Occurred() || !core_open_array(arguments[1], &view, CORE_INT64))
		return NULL;
	size = (size_t)view.len / sizeof(int64_t);
	if (view.len >= CORE_LONG_DRAW)
		state = PyEval_SaveThread();
	if (stream == NULL)
		cprng_shuffle(view.buf, size, sizeof(int64_t));
	else
		error = cprng_stream_try_shuffle(stream, view.buf, size, sizeof(int64_t));
	if (state != NULL)
		PyEval_RestoreThread(state);
	PyBuffer_Release(&view);
	return error == 0 ? core_none() : core_raise(error);
}

PyMethodDef core_order_functions[] = {
	{ "exchange", FAST_METHOD(exchange_all), METH_FASTCALL, NULL },
	{ "permute", FAST_METHOD(permute), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments, exceptions, long jobs and arrays, for the other files. */
#include "core.h"

#include <string.h>

bool core_check_arguments(const char *name, Py_ssize_t count, Py_ssize_t expected)
{
	if (count == expected)
		return true;
	PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments (%zd given)", name, expected, count);
	return false;
}

PyObject *core_named_argument(const char *function, const char *name, PyObject *const *arguments, Py_ssize_t count,
			      PyObject *keywords)
{
	const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);

	if (!core_check_arguments(function, count + named, 1))
		return NULL;
	if (named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), name) == 0)
		return arguments[0];
	PyErr_Format(PyExc_TypeError, "%s() has no argument %R", function, PyTuple_GetItem(keywords, 0));
	return NULL;
}

PyObject *core_raise(int error)
{
	PyObject *type = error == CPRNG_ERR_RANGE                                  ? PyExc_OverflowError :
			 error == CPRNG_ERR_ENTROPY || error == CPRNG_ERR_SELFTEST ? PyExc_OSError :
										     PyExc_ValueError;

	PyErr_SetString(type, error == CPRNG_ERR_RANGE ?
				      "a stream ends after 2**64 - 1 bytes, or after 2**38 with a nonce of 12 bytes" :
				      cprng_strerror(error));
	return NULL;
}

Py_ssize_t core_size_from(PyObject *argument, const char *name)
{
	Py_ssize_t size = PyNumber_AsSsize_t(argument, PyExc_OverflowError);

	if (size < 0 && !PyErr_Occurred())
		PyErr_Format(PyExc_ValueError, "%s must not be negative", name);
	return size < 0 ? -1 : size;
}

bool core_u64_from(PyObject *argument, const char *name, uint64_t *value)
{
	PyObject *index = PyNumber_Index(argument);

	if (index == NULL)
		return false;
	*value = PyLong_AsUnsignedLongLong(index);
	Py_DECREF(index);
	if (*value != UINT64_MAX || !PyErr_Occurred())
		return true;
	if (PyErr_ExceptionMatches(PyExc_OverflowError))
		PyErr_Format(PyExc_OverflowError, "%s must be in [0, 2**64)", name);
	return false;
}

int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **kept)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
	const int status = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);

	if (kept != NULL)
		*kept = (PyTypeObject *)type;
	else
		Py_XDECREF(type);
	return status;
}

int core_pause(void)
{
	PyEval_RestoreThread(PyEval_SaveThread());
	return PyErr_CheckSignals();
}

int core_in_pieces(core_piece *piece, void *job, size_t count, size_t each)
{
	for (size_t begin = 0, n; begin < count; begin += n) {
		PyThreadState *state = PyEval_SaveThread();
		int error;

		n = count - begin < each ? count - begin : each;
		error = piece(job, begin, n);
		PyEval_RestoreThread(state);
		if (error != 0)
			return error;
		if (begin + n < count && PyErr_CheckSignals() != 0)
			return CORE_INTERRUPTED;
	}
	return 0;
}

PyObject *core_finished(cprng_stream *stream, uint64_t before, int status)
{
	if (status == 0)
		return core_none();
	/* How many bytes a number takes is known only afterwards.  A job that passes the end fails as a whole. */
	if (status == CPRNG_ERR_RANGE && stream != NULL)
		status = cprng_stream_seek(stream, before) != 0 ? CPRNG_ERR_ARGUMENT : status;
	return status == CORE_INTERRUPTED ? NULL : core_raise(status);
}

/* Whether ctypes describes the elements, also those of a memoryview. */
static bool is_of_ctypes(PyObject *object)
{
	PyObject *exporter = PyMemoryView_Check(object) ? PyObject_GetAttrString(object, "obj") : Py_NewRef(object);
	bool found = exporter != NULL && PyObject_HasAttrString(exporter, "_b_base_");

	PyErr_Clear();
	Py_XDECREF(exporter);
	return found;
}

/* The format's first code for which not every byte is valid, or '\0'. */
static char kept_by_format(const char *format, bool of_ctypes)
{
	for (; *format != '\0'; format++) {
		/* Only what ctypes does not describe, a union or a packed structure, has no byte order. */
		if (of_ctypes && *format == 'B' && strchr("<>", format[-1]) == NULL)
			return *format;
		/* 'Z' is a pointer to text, or with a following 'f', 'd' or 'g' a complex number. */
		if (strchr("O?uwz", *format) != NULL ||
		    (*format == 'Z' && (format[1] == '\0' || strchr("fdg", format[1]) == NULL)))
			return *format;
		/* A member's name, between colons. */
		if (*format == ':') {
			format = strchr(format + 1, ':');
			if (format == NULL)
				return 'O';
		}
	}
	return '\0';
}

static bool is_native(char order)
{
	return order == '@' || order == '=' || order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>');
}

bool core_open_array(PyObject *object, Py_buffer *view, const char *formats)
{
	const char *format;
	char kept;

	/* Users often call the argument `size`. */
	if (PyLong_Check(object) || PyTuple_Check(object)) {
		PyErr_Format(PyExc_TypeError, "%R is a size, and not an array to fill: pass numpy.empty(%R)", object,
			     object);
		return false;
	}
	if (PyObject_GetBuffer(object, view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
		return false;
	format = view->format == NULL ? "B" : view->format;
	if (*formats == '\0') {
		kept = kept_by_format(format, format[0] == 'T' && is_of_ctypes(view->obj));
		/* ctypes describes unions, and before Python 3.12 packed structures, as bytes of their size. */
		if (kept == '\0' && strcmp(format, "B") == 0 && view->itemsize != 1)
			kept = 'B';
		if (kept == '\0')
			return true;
		PyErr_Format(PyExc_TypeError, "an array of %s is no memory for bytes",
			     kept == 'O' ? "objects" :
			     kept == '?' ? "truth values" :
			     kept == 'B' ? "unknown members" :
					   "text");
	} else {
		if (is_native(format[0]))
			format++;
		if (format[0] != '\0' && strchr(formats, format[0]) != NULL && format[1] == '\0')
			return true;
		PyErr_Format(PyExc_TypeError, "elements of format \"%s\", and not of one of \"%s\"", format, formats);
	}
	PyBuffer_Release(view);
	return false;
}

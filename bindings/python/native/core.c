/* SPDX-License-Identifier: BSD-2-Clause */
/* The module: multi-phase initialisation, a state per interpreter, usable without the GIL. */
#include "core.h"

#include <string.h>

struct core_state *core_state_of(PyObject *module)
{
	return PyModule_GetState(module);
}

bool core_check_arguments(const char *name, Py_ssize_t count, Py_ssize_t least, Py_ssize_t most)
{
	if (count >= least && count <= most)
		return true;
	if (least == most)
		PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments (%zd given)", name, least, count);
	else
		PyErr_Format(PyExc_TypeError, "%s() takes from %zd to %zd arguments (%zd given)", name, least, most,
			     count);
	return false;
}

PyObject *core_named_argument(const char *function, const char *name, PyObject *const *arguments, Py_ssize_t count,
			      PyObject *keywords)
{
	const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);

	if (!core_check_arguments(function, count + named, 1, 1))
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

	PyErr_SetString(type, cprng_strerror(error));
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
		if (error == CPRNG_ERR_RANGE)
			core_raise_end();
		else if (error != 0)
			core_raise(error);
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
	/* How many bytes a number takes is known only afterwards; what passes the end is refused whole. */
	if (status == CPRNG_ERR_RANGE && stream != NULL && cprng_stream_seek(stream, before) != 0)
		core_raise(CPRNG_ERR_RANGE);
	return NULL;
}

/* What elements of this format contain for which not every byte is valid; '\0': nothing. */
static char kept_by_format(const char *format)
{
	for (; *format != '\0'; format++) {
		/* 'Z' is a pointer to text, or the first half of a complex number's format. */
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

/* The same by the ctypes types, since the format of a union is that of bytes.  -1 with an exception. */
static int kept_by_type(PyObject *object)
{
	PyObject *name, *ctypes, *memory, *answer = NULL;
	int result = -1;

	if (PyByteArray_CheckExact(object))
		return '\0';
	name = PyUnicode_FromString("_ctypes");
	ctypes = name == NULL ? NULL : PyImport_GetModule(name);
	Py_XDECREF(name);
	if (ctypes == NULL)
		return PyErr_Occurred() ? -1 : '\0';
	Py_DECREF(ctypes);
	memory = PyImport_ImportModule("cprng._memory");
	if (memory != NULL)
		answer = PyObject_CallMethod(memory, "kept", "(O)", object);
	if (answer != NULL)
		result = (int)PyLong_AsLong(answer);
	Py_XDECREF(answer);
	Py_XDECREF(memory);
	return result;
}

static bool is_native(char order)
{
	return order == '@' || order == '=' || order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>');
}

bool core_open_array(PyObject *object, Py_buffer *view, const char *formats)
{
	const char *format;
	int kept = '\0';

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
		kept = kept_by_format(format);
		if (kept == '\0')
			kept = kept_by_type(object);
		if (kept == '\0')
			return true;
		if (kept > '\0')
			PyErr_Format(PyExc_TypeError, "an array of %s is no memory for bytes",
				     kept == 'O' ? "objects" :
				     kept == '?' ? "truth values" :
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

static int execute(PyObject *module)
{
	if (PyModule_AddFunctions(module, core_draw_functions) != 0 ||
	    PyModule_AddFunctions(module, core_token_functions) != 0 ||
	    PyModule_AddFunctions(module, core_fill_functions) != 0 ||
	    PyModule_AddFunctions(module, core_bitgen_functions) != 0)
		return -1;
	if (PyModule_AddStringConstant(module, "version", cprng_version()) != 0 || core_add_kinds(module) != 0)
		return -1;
	return core_add_draws(module) != 0 || core_add_stream(module) != 0 ? -1 : 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
	Py_VISIT(core_state_of(module)->stream_type);
	Py_VISIT(core_state_of(module)->uuid_parts);
	return 0;
}

static int clear(PyObject *module)
{
	Py_CLEAR(core_state_of(module)->stream_type);
	Py_CLEAR(core_state_of(module)->uuid_parts);
	return 0;
}

/*
 * Slots that Python 3.11 does not know and refuses.  One binary serves all versions, so the running version decides
 * where the table ends.
 */
#ifndef Py_mod_multiple_interpreters
#define Py_mod_multiple_interpreters 3
#define Py_MOD_PER_INTERPRETER_GIL_SUPPORTED ((void *)2)
#endif
#ifndef Py_mod_gil
#define Py_mod_gil 4
#define Py_MOD_GIL_NOT_USED ((void *)1)
#endif

static PyModuleDef_Slot slots_3_11[] = {
	{ Py_mod_exec, execute },
	{ 0, NULL },
};
static PyModuleDef_Slot slots_3_12[] = {
	{ Py_mod_exec, execute },
	{ Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
	{ 0, NULL },
};
static PyModuleDef_Slot slots_3_13[] = {
	{ Py_mod_exec, execute },
	{ Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
	{ Py_mod_gil, Py_MOD_GIL_NOT_USED },
	{ 0, NULL },
};

static PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "cprng._core",
	.m_doc = "The C library cprng.  Not for programs: the module cprng has the interface.",
	.m_size = sizeof(struct core_state),
	.m_slots = slots_3_11,
	.m_traverse = traverse,
	.m_clear = clear,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
	/* The same in every interpreter of the process, so their order does not matter. */
	if (Py_Version >= 0x030d0000)
		definition.m_slots = slots_3_13;
	else if (Py_Version >= 0x030c0000)
		definition.m_slots = slots_3_12;
	return PyModuleDef_Init(&definition);
}

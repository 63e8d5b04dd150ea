/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extension module cprng._core.  It keeps nothing that was drawn and has no variables: what lies between two calls is
 * the library's, and objects of a module are found through their types.
 */
#ifndef CPRNG_PYTHON_CORE_H
#define CPRNG_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include <cprng/cprng.h>

/* What a module of one interpreter has. */
struct core_state {
	PyTypeObject *stream_type;
};

struct core_state *core_state_of(PyObject *module);

/* A method that takes its arguments as an array: the cast that PyMethodDef asks for. */
#define FAST_METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* Sets TypeError and returns false if the number of arguments is none of [least, most]. */
bool core_check_arguments(const char *name, Py_ssize_t count, Py_ssize_t least, Py_ssize_t most);

/* Sets the exception for an error of the library; returns NULL. */
PyObject *core_raise(int error);

/*
 * So many bytes take longer than to let go of the interpreter's lock and take it again (docs/decisions/0024-python.md).
 * Other threads then run meanwhile.
 */
#define CORE_LONG_DRAW 16384

/* A size from an argument; or -1 with an exception, which calls it by its name: "number of bytes". */
Py_ssize_t core_size_from(PyObject *argument, const char *name);

/* Has a buffer of this format (NULL: bytes) Python objects in it?  Their pointers must not be overwritten. */
bool core_has_objects(const char *format);

/* ------------------------------------------------------------------------------------------------- draws.c */

extern PyMethodDef core_draw_functions[];

/* Add the type Draws, from which cprng.Random inherits.  Returns 0 or, with an exception, -1. */
int core_add_draws(PyObject *module);

/* ------------------------------------------------------------------------------------------------ stream.c */

/* Add the type Stream. */
int core_add_stream(PyObject *module);

/* The stream of an object; or NULL, with TypeError, if the object is none.  None: NULL without an exception. */
cprng_stream *core_stream_of(PyObject *module, PyObject *object);

/* False, with an exception, if the stream would get further than CORE_STREAM_LIMIT by so many bytes.  NULL: true. */
bool core_stream_has(const cprng_stream *stream, size_t bytes);

/*
 * Streams end after 2^64 - 1 bytes, and the functions for single numbers abort there.  Offsets that a program sets stay
 * below this one, from which no program reads as far as that.
 */
#define CORE_STREAM_LIMIT (UINT64_C(1) << 63)

/* ------------------------------------------------------------------------------------------------- fills.c */

extern PyMethodDef core_fill_functions[];

/* Add the kinds of numbers that fill() makes. */
int core_add_kinds(PyObject *module);

/* ------------------------------------------------------------------------------------------------ bitgen.c */

extern PyMethodDef core_bitgen_functions[];

#endif

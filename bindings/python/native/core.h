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

/*
 * None, as the result of a function.  Py_RETURN_NONE of Python 3.12 and 3.13 counts no reference, even for a module that
 * declares an older interface: under 3.11, where None is counted, it would be freed at last.
 */
static inline PyObject *core_none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

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

/* Let other threads run, and handlers of signals.  Returns 0, or -1 with the exception that a handler raised. */
int core_pause(void);

/* Do elements [begin, begin + count) of a job.  Returns 0 or an error of the library. */
typedef int core_piece(void *job, size_t begin, size_t count);

/*
 * Do a long job piece by piece, of so many elements each: without the interpreter's lock, and with a turn for handlers of
 * signals behind each, so that Ctrl-C stops it.  Returns 0, or -1 with an exception.
 */
int core_in_pieces(core_piece *piece, void *job, size_t count, size_t each);

/* What a thread does in some milliseconds. */
#define CORE_PIECE_BYTES (8 * 1024 * 1024)

/*
 * A writable array in one piece, whose elements have one of these formats of Python's struct, in the machine's byte order;
 * "": any, but no Python objects, whose pointers must not be overwritten.  False with an exception.
 */
bool core_open_array(PyObject *object, Py_buffer *view, const char *formats);

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

/* Single numbers go on behind the limit, but no program gets as far as this.  So checkpoints and states may have what is below. */
#define CORE_STREAM_REACHED (CORE_STREAM_LIMIT + CORE_STREAM_LIMIT / 2)

/* ------------------------------------------------------------------------------------------------- fills.c */

extern PyMethodDef core_fill_functions[];

/* Add the kinds of numbers that fill() makes. */
int core_add_kinds(PyObject *module);

/* ------------------------------------------------------------------------------------------------ bitgen.c */

extern PyMethodDef core_bitgen_functions[];

#endif

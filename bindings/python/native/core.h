/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extension module cprng._core.  It has no variables, and keeps no drawn bytes except in NumPy's bit generators: the library
 * holds all other state between calls, and the module's objects hang off their types.  core.c helps the other files and calls
 * none of them; module.c lists what each adds to the module.
 */
#ifndef CPRNG_PYTHON_CORE_H
#define CPRNG_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <string.h>

#include <cprng/cprng.h>

/* A module's state in one interpreter. */
struct core_state {
	PyTypeObject *stream_type, *weights_type;
	PyObject *uuid_parts; /* NULL until the first UUID */
};

static inline struct core_state *core_state_of(PyObject *module)
{
	return PyModule_GetState(module);
}

/* Casts a method that takes its arguments as an array, for PyMethodDef. */
#define FAST_METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* Headings of numpydoc, in documentation. */
#define PARAMETERS "\nParameters\n----------\n"
#define RETURNS "\nReturns\n-------\n"
#define RAISES "\nRaises\n------\n"
#define EXAMPLES "\nExamples\n--------\n"

/*
 * None, as a function's result.  Compiled with the headers of Python 3.12 or 3.13, Py_RETURN_NONE takes no reference,
 * even for an older stable ABI.  Python 3.11 counts references to None, and would eventually free it.
 */
static inline PyObject *core_none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

/* Sets TypeError and returns false unless so many arguments are given. */
bool core_check_arguments(const char *name, Py_ssize_t count, Py_ssize_t expected);

/* As core_argument(), for any number of arguments. */
PyObject *core_named_argument(const char *function, const char *name, PyObject *const *arguments, Py_ssize_t count,
			      PyObject *keywords);

/* The single argument of a function, positional or by keyword: a borrowed reference, or NULL with TypeError. */
static inline PyObject *core_argument(const char *function, const char *name, PyObject *const *arguments,
				      Py_ssize_t count, PyObject *keywords)
{
	if (__builtin_expect(count == 1 && keywords == NULL, 1))
		return arguments[0];
	return core_named_argument(function, name, arguments, count, keywords);
}

/* Erases memory, by stores that the compiler keeps. */
static inline void core_wipe(void *memory, size_t size)
{
	memset(memory, 0, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

/* Sets the exception for an error of the library, CPRNG_ERR_RANGE being the end of a stream; returns NULL. */
PyObject *core_raise(int error);

/*
 * A draw of this many bytes takes longer than releasing and reacquiring the interpreter's lock
 * (docs/decisions/0024-python.md), so other threads may run meanwhile.
 */
#define CORE_LONG_DRAW 16384

/* A size from an argument, or -1 with an exception.  The message begins with the name, such as "number of bytes". */
Py_ssize_t core_size_from(PyObject *argument, const char *name);

/* An integer of 64 bits, from any integer type.  False with an exception, whose message begins with the name. */
bool core_u64_from(PyObject *argument, const char *name, uint64_t *value);

/* Add a type to the module, and keep a reference if kept is not NULL.  Returns 0 or, with an exception, -1. */
int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **kept);

/* Let other threads and signal handlers run.  Returns 0, or -1 with the exception that a handler raised. */
int core_pause(void);

/* Do elements [begin, begin + count) of a job.  Returns 0 or an error of the library. */
typedef int core_piece(void *job, size_t begin, size_t count);

/*
 * Do a long job in pieces of this many elements, without the interpreter's lock; after each piece signal handlers run,
 * so that Ctrl-C stops it.  Returns 0, an error of the library, or with an exception CORE_INTERRUPTED.
 */
int core_in_pieces(core_piece *piece, void *job, size_t count, size_t each);
#define CORE_INTERRUPTED 1

/*
 * The result of a function whose job ended with this status of core_in_pieces(): None, or NULL.  After a job that would
 * pass the end of the stream, moves the stream back to this offset.
 */
PyObject *core_finished(cprng_stream *stream, uint64_t before, int status);

/* A thread needs some milliseconds for this many bytes. */
#define CORE_PIECE_BYTES (8 * 1024 * 1024)

/*
 * Open a writable, contiguous array whose elements have one of these formats of Python's struct, in native byte order.
 * "" accepts any format for which every byte is valid: not Python objects, whose pointers must not be overwritten, not
 * truth values, not text.  False with an exception.
 */
bool core_open_array(PyObject *object, Py_buffer *view, const char *formats);

/* Formats with 64 bits: a long on Windows has 32. */
#define CORE_INT64 (sizeof(long) == 8 ? "lq" : "q")
#define CORE_UINT64 (sizeof(long) == 8 ? "LQ" : "Q")

/* ------------------------------------------------------------------------------------------------- draws.c */

extern PyMethodDef core_draw_functions[];

/* A bytes object of this many random bytes. */
PyObject *core_random_bytes(Py_ssize_t size);

/* Add the type Draws, from which cprng.Random inherits.  Returns 0 or, with an exception, -1. */
int core_add_draws(PyObject *module);

/* ------------------------------------------------------------------------------------------------ orders.c */

extern PyMethodDef core_order_functions[];

/* Shuffle a mutable sequence by exchanges.  Returns None, or NULL with an exception and the elements in another order. */
PyObject *core_shuffle(cprng_stream *stream, PyObject *sequence);

/* ------------------------------------------------------------------------------------------------ stream.c */

/* Add the type Stream. */
int core_add_stream(PyObject *module);

/* An object's stream, or NULL with TypeError if the object is not a stream.  For None, NULL without an exception. */
cprng_stream *core_stream_of(PyObject *module, PyObject *object);

/*
 * One number of [0, bound), where bound 0 means 2^64, from a stream or, if that is NULL, from a draw.  Returns 0 or an error of
 * the library, with the offset unchanged.
 */
static inline int core_below(cprng_stream *stream, uint64_t bound, uint64_t *number)
{
	if (stream != NULL)
		return cprng_stream_try_range64(stream, number, 0, bound - 1);
	*number = bound == 0 ? cprng_fast64() : cprng_uniform64(bound);
	return 0;
}

/* ------------------------------------------------------------------------------------------------- fills.c */

extern PyMethodDef core_fill_functions[];

/* Add the kinds of numbers that fill() makes, as constants. */
int core_add_kinds(PyObject *module);

/* ----------------------------------------------------------------------------------------------- choices.c */

extern PyMethodDef core_choice_functions[];

/* Add the type Weights. */
int core_add_weights(PyObject *module);

/* ------------------------------------------------------------------------------------------------ tokens.c */

extern PyMethodDef core_token_functions[];

/* ------------------------------------------------------------------------------------------------ bitgen.c */

extern PyMethodDef core_bitgen_functions[];

#endif

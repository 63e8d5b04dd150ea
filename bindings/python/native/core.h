/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extension module cprng._core.  It keeps no drawn bytes and has no variables: state between calls is the
 * library's, and a module's objects are found through their types.
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
	PyTypeObject *stream_type;
	PyObject *uuid_parts; /* NULL until the first UUID */
};

struct core_state *core_state_of(PyObject *module);

/* A method that takes its arguments as an array: the cast that PyMethodDef asks for. */
#define FAST_METHOD(function) ((PyCFunction)(void (*)(void))(function))

/*
 * None, as a function's result.  Py_RETURN_NONE of Python 3.12 and 3.13 counts no reference, even for a module with an
 * older interface; 3.11, which counts references to None, would eventually free it.
 */
static inline PyObject *core_none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

/* Sets TypeError and returns false unless the number of arguments is in [least, most]. */
bool core_check_arguments(const char *name, Py_ssize_t count, Py_ssize_t least, Py_ssize_t most);

/* As core_argument(), for any number of arguments. */
PyObject *core_named_argument(const char *function, const char *name, PyObject *const *arguments, Py_ssize_t count,
			      PyObject *keywords);

/* The single argument of a function, which may have its name: a borrowed reference, or NULL with TypeError. */
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

/* Sets the exception for an error of the library; returns NULL. */
PyObject *core_raise(int error);

/*
 * A draw of this many bytes takes longer than releasing and reacquiring the interpreter's lock
 * (docs/decisions/0024-python.md), so other threads may run meanwhile.
 */
#define CORE_LONG_DRAW 16384

/* A size from an argument, or -1 with an exception, which names it: "number of bytes". */
Py_ssize_t core_size_from(PyObject *argument, const char *name);

/* An integer of 64 bits, of any type of integers.  False with an exception, which names it. */
bool core_u64_from(PyObject *argument, const char *name, uint64_t *value);

/* Let other threads and signal handlers run.  Returns 0, or -1 with the exception that a handler raised. */
int core_pause(void);

/* Do elements [begin, begin + count) of a job.  Returns 0 or an error of the library. */
typedef int core_piece(void *job, size_t begin, size_t count);

/*
 * Do a long job in pieces of this many elements, without the interpreter's lock; after each piece signal handlers run,
 * so that Ctrl-C stops it.  Returns 0, or with an exception an error of the library, or CORE_INTERRUPTED.
 */
int core_in_pieces(core_piece *piece, void *job, size_t count, size_t each);
#define CORE_INTERRUPTED 1

/*
 * The result of a function whose job ended with this status of core_in_pieces(): None, or NULL.  A job that would pass the
 * end of the stream leaves it where it was before.
 */
PyObject *core_finished(cprng_stream *stream, uint64_t before, int status);

/* A thread's work for some milliseconds. */
#define CORE_PIECE_BYTES (8 * 1024 * 1024)

/*
 * A writable array in one piece, whose elements have one of these formats of Python's struct, in the machine's byte order;
 * "": any for which every byte is valid, so no Python objects, whose pointers must not be overwritten, no truth values
 * and no text.  False with an exception.
 */
bool core_open_array(PyObject *object, Py_buffer *view, const char *formats);

/* Elements of 64 bits; a long of Windows has 32. */
#define CORE_INT64 (sizeof(long) == 8 ? "lq" : "q")
#define CORE_UINT64 (sizeof(long) == 8 ? "LQ" : "Q")

/* ------------------------------------------------------------------------------------------------- draws.c */

extern PyMethodDef core_draw_functions[];

/* A bytes object of this size. */
PyObject *core_random_bytes(Py_ssize_t size);

/* Add the type Draws, from which cprng.Random inherits.  Returns 0 or, with an exception, -1. */
int core_add_draws(PyObject *module);

/* ------------------------------------------------------------------------------------------------ stream.c */

/* Add the type Stream. */
int core_add_stream(PyObject *module);

/* An object's stream, or NULL with TypeError if it is no stream.  For None, NULL without an exception. */
cprng_stream *core_stream_of(PyObject *module, PyObject *object);

/* Sets OverflowError: the stream ends before the last byte of what was asked for. */
void core_raise_end(void);

/* Returns false, with an exception, if the stream ends before this many bytes.  NULL: true. */
bool core_stream_has(const cprng_stream *stream, size_t bytes);

/*
 * At the end of a stream the library's functions for single numbers abort.  No program reads this many bytes, so below
 * this offset these functions may be called; beyond it only functions that report the end.
 */
#define CORE_STREAM_FAR (UINT64_C(1) << 63)

/* Whether that holds within so many bytes, in a short stream too.  NULL: false. */
bool core_stream_is_far(const cprng_stream *stream, uint64_t bytes);

/* More than this many numbers with rejections need: each try of 8 bytes succeeds in half of all cases or more. */
#define CORE_TRIES_BYTES(numbers) (64 * (uint64_t)(numbers) + 4096)

/* ------------------------------------------------------------------------------------------------- fills.c */

extern PyMethodDef core_fill_functions[];

/* Add the kinds of numbers that fill() makes. */
int core_add_kinds(PyObject *module);

/* ------------------------------------------------------------------------------------------------ tokens.c */

extern PyMethodDef core_token_functions[];

/* ------------------------------------------------------------------------------------------------ bitgen.c */

extern PyMethodDef core_bitgen_functions[];

#endif

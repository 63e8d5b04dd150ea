/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of C that lib/ calls, as tables.  addon.c makes the addon's functions of them, and lib/wasm.js those over
 * WebAssembly: both convert the arguments of JavaScript to values, call the C function, and convert its result.
 */
#ifndef CPRNG_NODE_CALLS_H
#define CPRNG_NODE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <cprng/cprng.h>

union value {
	uint64_t u;
	double d;
	void *p;
	const char *text;
	cprng_stream *s;
};

/* Maximum number of values of a call, and bytes of an engine's name with its NUL. */
enum { MOST_VALUES = 9, NAME_SIZE = 32 };

/* An array is three values: address, size in bytes, and type.  Types are numbered as in Node-API. */
enum array_type { UINT8 = 1, INT32 = 5, UINT32, FLOAT32, FLOAT64, BIGINT64, BIGUINT64 };

struct call {
	const char *name;
	/*
	 * A letter for each argument.  One value: s a stream, n the name of an engine, b a BigInt modulo 2^64, w an integer from 0
	 * to 2^53, d a number.  An array: r is read, x is read and written, f and g are written.  p is the part of a Uint8Array to
	 * write, from three arguments: the array, an offset and a size.
	 *
	 * lib/wasm.js fills f, g and p in pieces, by a call for each.  With a stream, f and p take one byte of it for each of
	 * theirs.
	 */
	const char *arguments;
	/* values[0] then is the result: b a BigInt, d a number, t a text; 0: JavaScript gets the function's status. */
	char result;
	/* Returns 0 or an error of the library. */
	int (*function)(union value *values);
};

/* The tables end with a NULL name.  WebAssembly has only the first. */
extern const struct call cprng_node_calls[], addon_draw_calls[];

/* Returns the size of an array's elements, or 0 for types that Node-API does not know. */
size_t cprng_node_element_size(uint64_t type);

/* Fill an array with count numbers of a kind, from draws if the stream is NULL.  The order is that of lib/kinds.js. */
enum number_kind { KIND_U32, KIND_U64, KIND_FLOAT, KIND_DOUBLE, KIND_NORMAL, KIND_EXPONENTIAL, KINDS };
int cprng_node_fill(cprng_stream *stream, uint64_t kind, void *numbers, size_t count, double a, double b);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of integers of a range, for the addon and for WebAssembly. */
#ifndef CPRNG_NODE_INTEGERS_H
#define CPRNG_NODE_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include <cprng/cprng.h>

/* A function of the library for arrays: of a stream, or of draws if the stream is NULL. */
#define FILL(stream, name, ...) \
	((stream) == NULL ? cprng_fill_##name(__VA_ARGS__) : cprng_stream_fill_##name(stream, __VA_ARGS__))

/* Elements of arrays of integers: of 32 bits, of 64 bits, or doubles.  lib/wasm.js has the same numbers. */
enum integers_type { INTEGERS_32, INTEGERS_64, INTEGERS_DOUBLE };

/*
 * Fill an array with first plus integers below bound, modulo 2^64; a bound of 0 means 2^64.  From draws if the stream is NULL.
 * Returns 0 or an error of the library.  For elements of 32 bits bound is at most 2^32.  Doubles are integers below 2^53.
 */
int cprng_node_integers(cprng_stream *stream, uint32_t type, void *numbers, size_t count, uint64_t first,
			uint64_t bound);

/* Replace each integer of 64 bits by first plus it, as a double. */
void cprng_node_doubles(void *numbers, size_t count, uint64_t first);

#endif

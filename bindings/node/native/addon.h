/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Node package's addon, which uses only Node-API.  lib/ checks arguments in JavaScript.  These functions check an array's
 * type, length and address again when they write, so that they never write elsewhere.
 */
#ifndef CPRNG_NODE_ADDON_H
#define CPRNG_NODE_ADDON_H

/* In Node 12.22, 14.17, 16 and later.  It has BigInt. */
#define NAPI_VERSION 8
#include <node_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cprng/cprng.h>

/* Maximum number of arguments of a function. */
#define ADDON_ARGUMENTS 6

struct addon_array {
	napi_typedarray_type type;
	unsigned char *bytes;
	size_t size; /* bytes */
};

/* Kinds of numbers that fill an array, in the order of lib/kinds.js. */
enum addon_kind { ADDON_U32, ADDON_U64, ADDON_FLOAT, ADDON_DOUBLE, ADDON_NORMAL, ADDON_EXPONENTIAL, ADDON_KINDS };

/* Get exactly count arguments.  Otherwise throw a TypeError, which means a bug in lib/, and return false. */
bool addon_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values);
void addon_throw_defect(napi_env env);

/* A typed array's current address.  A detached or out-of-bounds array has no bytes. */
bool addon_array(napi_env env, napi_value value, struct addon_array *array);
/* The part of a Uint8Array at an offset.  If the array no longer has it, throws RangeError and returns false. */
bool addon_piece(napi_env env, napi_value array, napi_value offset, napi_value size, struct addon_array *piece);
/* An array for numbers of a kind; false if its type does not fit. */
bool addon_numbers(napi_env env, napi_value value, uint32_t kind, struct addon_array *array, size_t *count);
/* fillNumbers(kind, array, a, b): returns a status. */
napi_value addon_fill_numbers(napi_env env, cprng_stream *stream, const napi_value *values);

/* Get a BigInt modulo 2^64, or a number that is an integer from 0 to 2^53. */
bool addon_big(napi_env env, napi_value value, uint64_t *result);
bool addon_whole(napi_env env, napi_value value, uint64_t *result);

napi_value addon_status(napi_env env, int status);
napi_value addon_double(napi_env env, double value);
/* The bits as a signed or unsigned BigInt. */
napi_value addon_bits(napi_env env, uint64_t bits, bool is_signed);

/* Fill an array with count numbers of a kind, from draws if the stream is NULL.  Returns 0 or an error of the library. */
int addon_fill(cprng_stream *stream, uint32_t kind, void *numbers, size_t count, double a, double b);

/* Get the number of elements; the size of one, which is 0 for types that Node-API does not know. */
size_t addon_count(const struct addon_array *array);
size_t addon_element_size(const struct addon_array *array);
/* An array for integers from first on, bound of them (0: 2^64), which are arguments; false if its type does not fit. */
struct addon_integers {
	struct addon_array array;
	uint32_t type; /* enum integers_type */
	size_t count;
	uint64_t first, bound;
};
bool addon_integers(napi_env env, const napi_value *values, struct addon_integers *integers);
/* fillIntegers(array, first, bound): returns the array.  The stream must have the numbers. */
napi_value addon_fill_integers(napi_env env, cprng_stream *stream, napi_value result,
			       const struct addon_integers *integers);
/* An array for a sample: a BigUint64Array, or a Float64Array, whose numbers end_sample makes of the integers. */
bool addon_sample(napi_env env, napi_value value, struct addon_array *array);
napi_value addon_end_sample(napi_env env, const struct addon_array *array, int status);

/* The functions of each environment (the main thread or a Worker).  Names end with NULL. */
extern const napi_property_descriptor addon_draw_functions[], addon_block_functions[], addon_stream_functions[];

/* Detect a clone.  If the library has dropped its buffers since the last call, make all environments refill their blocks. */
void addon_notice_generation(void);
/* "locked", "refused" or "none": the lock of this environment's blocks. */
const char *addon_block_lock(void);

#endif

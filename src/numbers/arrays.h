/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of numbers, from draws or from a stream: the array is filled with random bytes, then converted in place. */
#ifndef CPRNG_NUMBERS_ARRAYS_H
#define CPRNG_NUMBERS_ARRAYS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum cprng_array_kind {
	CPRNG_ARRAY_U32,
	CPRNG_ARRAY_U64,
	CPRNG_ARRAY_UNIFORM32, /* uint32_t below bound, of words of 32 bits */
	CPRNG_ARRAY_NARROW64,  /* first plus an integer below bound, of words of 32 bits */
	CPRNG_ARRAY_UNIFORM64, /* the same, of words of 64 bits */
	CPRNG_ARRAY_TEXT,      /* characters: alphabet[an integer below bound <= 256, of one byte] */
	CPRNG_ARRAY_FLOAT,
	CPRNG_ARRAY_DOUBLE,
	CPRNG_ARRAY_NORMAL,
	CPRNG_ARRAY_EXPONENTIAL,
};

struct cprng_array {
	enum cprng_array_kind kind;
	double location, scale;  /* normals: mu and sigma; exponentials: scale is the mean; otherwise unused */
	uint64_t bound, first;   /* integers within bounds; otherwise unused */
	const uint8_t *alphabet; /* text; otherwise unused */
};

/* Return the size of a number in the array, in bytes. */
CPRNG_INLINE size_t cprng_array_size(enum cprng_array_kind kind)
{
	if (kind == CPRNG_ARRAY_TEXT)
		return 1;
	return kind == CPRNG_ARRAY_U32 || kind == CPRNG_ARRAY_UNIFORM32 || kind == CPRNG_ARRAY_FLOAT ? 4 : 8;
}

/* Return the number of bytes of the source that a number takes, unless they are refused. */
CPRNG_INLINE size_t cprng_array_word(enum cprng_array_kind kind)
{
	return kind == CPRNG_ARRAY_NARROW64 ? 4 : cprng_array_size(kind);
}

CPRNG_INLINE bool cprng_array_refuses(enum cprng_array_kind kind)
{
	return kind >= CPRNG_ARRAY_UNIFORM32 && kind <= CPRNG_ARRAY_TEXT;
}

/* The arrays of as many calls of cprng_uniform32(), cprng_uniform64(), cprng_range64() and cprng_int_range(). */
struct cprng_array cprng_array_uniform32(uint32_t bound);
struct cprng_array cprng_array_uniform64(uint64_t bound);
struct cprng_array cprng_array_range64(uint64_t lo, uint64_t hi);
struct cprng_array cprng_array_int_range(int64_t lo, int64_t hi);

/* Text of an alphabet of 1 to 256 symbols. */
struct cprng_array cprng_array_text(const char *alphabet, size_t symbols);
/* Make characters of `count` random bytes, which may lie at out.  Return their number: those of refused bytes are missing. */
size_t cprng_array_choose_text(uint8_t *out, const uint8_t *words, size_t count, const uint8_t *alphabet,
			       uint32_t symbols);
/* Return false if there is no such alphabet, or no place for length characters and a NUL. */
bool cprng_array_text_valid(const char *out, size_t length, const char *alphabet, size_t symbols);

/* Return false if the distribution does not allow the parameters. */
bool cprng_array_valid(const struct cprng_array *array);

/* Return true if a backend can make these numbers.  If not, the caller ends the program with the message. */
bool cprng_array_possible(enum cprng_array_kind kind);
#define CPRNG_NO_ARITHMETIC "no arithmetic of doubles gives its known answers on this machine"

/* Write the source's next len bytes, len > 0. */
typedef void cprng_array_source(void *source, uint8_t *out, size_t len);

/*
 * Fill out with count numbers, made from the source's bytes in order.  The parameters must be valid.  Each word that a bound
 * refuses is replaced by a later one.
 */
void cprng_array_fill(const struct cprng_array *array, cprng_array_source *take, void *source, void *out, size_t count);

CPRNG_END_DECLARATIONS

#endif

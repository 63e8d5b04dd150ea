/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/arrays.h"

#include "core/bytes.h"
#include "core/uint128.h"
#include "numbers/numbers.h"

enum {
	/*
	 * Bytes converted at a time.  A draw takes as long as 1.5 KiB more of keystream, and a conversion in the second-level
	 * cache hardly longer than in the first-level one (Zen 3).
	 */
	ARRAY_PIECE = 131072,
	/*
	 * From this size on the vectors of floats and doubles begin at lines.  Those that straddle two lines take up to twice the
	 * time.  The call for the numbers before the first line takes as long as that costs 8 KiB.
	 */
	ALIGNED_MIN = 16384,
	LINE = 64,
};

bool cprng_array_valid(const struct cprng_array *array)
{
	if (array->kind == CPRNG_ARRAY_NORMAL)
		return cprng_number_normal_valid(array->location, array->scale);
	return array->kind != CPRNG_ARRAY_EXPONENTIAL || cprng_number_exponential_valid(array->scale);
}

bool cprng_array_possible(enum cprng_array_kind kind)
{
	return kind < CPRNG_ARRAY_NORMAL || cprng_numbers_select() != NULL;
}

struct cprng_array cprng_array_uniform32(uint32_t bound)
{
	return (struct cprng_array){ CPRNG_ARRAY_UNIFORM32, 0, 0, bound, 0, NULL };
}

/* The same words as cprng_choose64() takes: bounds of 32 bits take words of 32 bits. */
struct cprng_array cprng_array_uniform64(uint64_t bound)
{
	return (struct cprng_array){
		bound <= UINT32_MAX ? CPRNG_ARRAY_NARROW64 : CPRNG_ARRAY_UNIFORM64, 0, 0, bound, 0, NULL
	};
}

/* From first on, in a range that ends so far behind it. */
static struct cprng_array integers(uint64_t first, uint64_t distance)
{
	struct cprng_array array = cprng_array_uniform64(distance + 1);

	if (distance == UINT64_MAX)
		array.kind = CPRNG_ARRAY_UNIFORM64;
	array.first = first;
	return array;
}

struct cprng_array cprng_array_range64(uint64_t lo, uint64_t hi)
{
	return lo < hi ? integers(lo, hi - lo) : integers(hi, lo - hi);
}

/* A distance is counted modulo 2^64, and the sum comes back into the range. */
struct cprng_array cprng_array_int_range(int64_t lo, int64_t hi)
{
	const uint64_t first = (uint64_t)(lo < hi ? lo : hi), last = (uint64_t)(lo < hi ? hi : lo);

	return integers(first, last - first);
}

struct cprng_array cprng_array_text(const char *alphabet, size_t symbols)
{
	return (struct cprng_array){ CPRNG_ARRAY_TEXT, 0, 0, symbols, 0, (const uint8_t *)alphabet };
}

bool cprng_array_text_valid(const char *out, size_t length, const char *alphabet, size_t symbols)
{
	return out != NULL && alphabet != NULL && symbols >= 1 && symbols <= 256 && length != SIZE_MAX &&
	       cprng_has_end(out, length + 1);
}

CPRNG_CLEARS static void to_host32(uint8_t *place, size_t count)
{
	for (size_t i = 0; i < count; i++, place += 4) {
		const uint32_t value = cprng_load_le32(place);
		memcpy(place, &value, sizeof(value));
	}
}

CPRNG_CLEARS static void to_host64(uint8_t *place, size_t count)
{
	for (size_t i = 0; i < count; i++, place += 8) {
		const uint64_t value = cprng_load_le64(place);
		memcpy(place, &value, sizeof(value));
	}
}

/* Bound 0 stands for 2^64. */
CPRNG_CLEARS static size_t make_uniform64(uint8_t *place, size_t count, uint64_t bound, uint64_t first)
{
	const uint64_t refused = bound == 0 ? 0 : -bound % bound;
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t word = cprng_load_le64(place + 8 * i);
		const struct cprng_uint128 m = bound == 0 ? (struct cprng_uint128){ word, 0 } :
							    cprng_mul64(word, bound);
		const uint64_t value = first + m.hi;

		/* Behind the last one in any case: a branch would be mispredicted by bounds that refuse many words. */
		memcpy(place + 8 * made, &value, sizeof(value));
		made += m.lo >= refused;
	}
	return made;
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_array_choose_text(uint8_t *out, const uint8_t *words, size_t count,
							   const uint8_t *alphabet, uint32_t symbols)
{
	const uint32_t refused = 256 % symbols;
	size_t made = 0;

	if (refused == 0) {
		_Pragma("GCC unroll 4") for (size_t i = 0; i < count; i++) out[i] = alphabet[words[i] * symbols >> 8];
		return count;
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t m = words[i] * symbols;

		/* As in make_uniform64(). */
		out[made] = alphabet[m >> 8];
		made += (m & 0xff) >= refused;
	}
	return made;
}

/* Convert floats or doubles, those before the first line of a long array by themselves. */
CPRNG_CLEARS static void convert_by_lines(void (*numbers)(uint8_t *place, size_t count), uint8_t *place, size_t count,
					  size_t size)
{
	const size_t before = (0 - (uintptr_t)place) % LINE;

	if (before != 0 && before % size == 0 && count * size >= ALIGNED_MIN) {
		numbers(place, before / size);
		place += before;
		count -= before / size;
	}
	numbers(place, count);
}

/* Convert the words at place to numbers, in place.  Return how many they are. */
CPRNG_CLEARS static size_t convert(const struct cprng_array *array, uint8_t *place, size_t count)
{
	const uint32_t bound32 = (uint32_t)array->bound;

	switch (array->kind) {
	case CPRNG_ARRAY_U32:
		to_host32(place, count);
		break;
	case CPRNG_ARRAY_U64:
		to_host64(place, count);
		break;
	case CPRNG_ARRAY_UNIFORM32:
		return cprng_numbers_first_usable()->uniform32(place, count, bound32);
	case CPRNG_ARRAY_NARROW64:
		return cprng_numbers_first_usable()->narrow64(place, count, bound32, array->first);
	case CPRNG_ARRAY_UNIFORM64:
		return make_uniform64(place, count, array->bound, array->first);
	case CPRNG_ARRAY_TEXT:
		return cprng_array_choose_text(place, place, count, array->alphabet, bound32);
	case CPRNG_ARRAY_FLOAT:
		convert_by_lines(cprng_numbers_first_usable()->floats, place, count, 4);
		break;
	case CPRNG_ARRAY_DOUBLE:
		convert_by_lines(cprng_numbers_first_usable()->doubles, place, count, 8);
		break;
	case CPRNG_ARRAY_NORMAL:
		cprng_numbers_select()->normals(place, count, array->location, array->scale);
		break;
	case CPRNG_ARRAY_EXPONENTIAL:
		cprng_numbers_select()->exponentials(place, count, array->scale);
		break;
	}
	return count;
}

CPRNG_CLEARS void cprng_array_fill(const struct cprng_array *array, cprng_array_source *take, void *source, void *out,
				   size_t count)
{
	const size_t size = cprng_array_size(array->kind), word = cprng_array_word(array->kind);
	/* Little-endian integers need no conversion. */
	const bool made = cprng_le32(1) == 1 && array->kind <= CPRNG_ARRAY_U64;
	const size_t most = made ? SIZE_MAX / size : ARRAY_PIECE / size;
	uint8_t *place = out;

	while (count != 0) {
		size_t n = count < most ? count : most;

		/* Words that are smaller than their numbers lie at the end of the place. */
		take(source, place + n * (size - word), n * word);
		if (!made)
			n = convert(array, place, n);
		place += n * size;
		count -= n;
	}
}

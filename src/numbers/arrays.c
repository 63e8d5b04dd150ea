/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/arrays.h"

#include "core/bytes.h"
#include "numbers/numbers.h"

/* Bytes converted at a time, while they are in the first-level cache. */
#define ARRAY_PIECE ((size_t)8192)

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

/* Convert the array's bytes to count numbers, in place. */
CPRNG_CLEARS static void convert(const struct cprng_array *array, uint8_t *place, size_t count)
{
	switch (array->kind) {
	case CPRNG_ARRAY_U32:
		to_host32(place, count);
		break;
	case CPRNG_ARRAY_U64:
		to_host64(place, count);
		break;
	case CPRNG_ARRAY_FLOAT:
		cprng_numbers_first_usable()->floats(place, count);
		break;
	case CPRNG_ARRAY_DOUBLE:
		cprng_numbers_first_usable()->doubles(place, count);
		break;
	case CPRNG_ARRAY_NORMAL:
		cprng_numbers_select()->normals(place, count, array->location, array->scale);
		break;
	case CPRNG_ARRAY_EXPONENTIAL:
		cprng_numbers_select()->exponentials(place, count, array->scale);
		break;
	}
}

CPRNG_CLEARS void cprng_array_fill(const struct cprng_array *array, cprng_array_source *take, void *source, void *out,
				   size_t count)
{
	const size_t size = cprng_array_size(array->kind);
	/* Little-endian integers need no conversion. */
	const bool made = cprng_le32(1) == 1 && array->kind <= CPRNG_ARRAY_U64;
	const size_t most = made ? SIZE_MAX / size : ARRAY_PIECE / size;
	uint8_t *place = out;

	while (count != 0) {
		const size_t n = count < most ? count : most;

		take(source, place, n * size);
		if (!made)
			convert(array, place, n);
		place += n * size;
		count -= n;
	}
}

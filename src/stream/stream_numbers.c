/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers from streams: bounded integers, shuffles and samples; distributions; arrays; numbers of streams that may end; and the
 * functions of <cprng/stream_numbers.h> for callers that do not inline them.
 */
#include "core/port.h"

#define CPRNG_INLINE_STREAM CPRNG_CLEARS
#include "stream/stream.h"

#include "core/bytes.h"
#include "cpu/registers.h"
#include "numbers/arrays.h"
#include "numbers/choices.h"
#include "numbers/numbers.h"
#include "numbers/single.h"
#include "os/os.h"

CPRNG_INLINE uint64_t stream_u64(void *stream)
{
	return cprng_stream_u64(stream);
}

CPRNG_INLINE uint32_t stream_uniform32(void *stream, uint32_t bound)
{
	return cprng_stream_uniform32(stream, bound);
}

CPRNG_INLINE uint64_t stream_uniform64(void *stream, uint64_t bound)
{
	return cprng_choose64(stream_uniform32, stream_u64, stream, bound);
}

CPRNG_CLEARS uint64_t cprng_stream_uniform64(cprng_stream *s, uint64_t bound)
{
	return stream_uniform64(s, bound);
}

CPRNG_CLEARS uint64_t cprng_stream_range64(cprng_stream *s, uint64_t lo, uint64_t hi)
{
	return cprng_choose_between(stream_uniform64, stream_u64, s, lo, hi);
}

CPRNG_CLEARS int64_t cprng_stream_int_range(cprng_stream *s, int64_t lo, int64_t hi)
{
	return cprng_choose_between_signed(stream_uniform64, stream_u64, s, lo, hi);
}

CPRNG_CLEARS static void stream_take(void *stream, uint8_t *out, size_t len)
{
	cprng_stream_take(stream, out, len);
}

CPRNG_CLEARS static void stream_take_or_die(void *stream, uint8_t *out, size_t len)
{
	cprng_stream_demand(stream, len);
	cprng_stream_take(stream, out, len);
}

/*
 * A stream that notes reads past its end instead of ending the program, for a function that reports the end as an error.  Words
 * past the end are accepted for every bound.
 */
struct ending {
	cprng_stream *s;
	bool ended;
};

CPRNG_CLEARS static void stream_take_or_end(void *source, uint8_t *out, size_t len)
{
	struct ending *e = source;

	if (!e->ended && cprng_stream_left(e->s) >= len) {
		cprng_stream_take(e->s, out, len);
	} else {
		memset(out, 0xff, len);
		e->ended = true;
	}
}

/* Put the offset back where the stream ended before an answer was complete. */
CPRNG_CLEARS static int stream_refuse(cprng_stream *s, uint64_t offset)
{
	const int error = cprng_stream_seek(s, offset);

	return error == CPRNG_OK ? CPRNG_ERR_RANGE : error;
}

/* Neither a fork nor an invalidation changes the numbers of a stream. */
static const cprng_atomic64 stream_generation = 0;

/* Take `words` words, and make indexes below bound, bound - 1, and so on of them.  Return the number of indexes. */
CPRNG_CLEARS static size_t stream_indexes(cprng_array_source *take, void *source, uint64_t *block, uint64_t bound,
					  uint64_t most)
{
	const size_t words = cprng_order_single_words(bound, most);

	take(source, cprng_order_single_words_of(block, words, bound), words * cprng_order_single_size(bound));
	return cprng_order_choose_singly(block, words, bound);
}

CPRNG_CLEARS static void stream_order(cprng_array_source *take, void *source, void *base, size_t count, size_t size)
{
	uint64_t block[CPRNG_ORDER_BLOCK];

	while (count > 1 && size != 0) {
		const size_t made = stream_indexes(take, source, block, count, count - 1);

		count -= cprng_order_exchange(base, count, size, block, made, &stream_generation, 0);
	}
}

CPRNG_CLEARS void cprng_stream_shuffle(cprng_stream *s, void *base, size_t count, size_t size)
{
	stream_order(stream_take_or_die, s, base, count, size);
}

/* Each missing integer takes an index, so that no word is taken too many. */
CPRNG_CLEARS static void stream_scan(struct ending *e, uint64_t *out, size_t k, uint64_t n)
{
	struct cprng_selection set = { out, k, 0, n, 0 };
	uint64_t block[CPRNG_ORDER_BLOCK];

	while (set.have < k) {
		const size_t made = stream_indexes(stream_take_or_end, e, block, n - set.next, k - set.have);

		cprng_select(&set, block, made, &stream_generation, 0);
	}
}

CPRNG_CLEARS int cprng_stream_sample(cprng_stream *s, uint64_t *out, size_t k, uint64_t n)
{
	const struct cprng_array array = cprng_array_uniform64(n);
	struct ending e = { s, false };
	uint64_t offset;

	if (!cprng_stream_is_open(s) || k > n || (out == NULL && k != 0))
		return CPRNG_ERR_ARGUMENT;
	offset = cprng_stream_tell(s);
	if (k > n / 2) {
		stream_scan(&e, out, k, n);
	} else {
		for (size_t have = 0; have < k && !e.ended;) {
			cprng_array_fill(&array, stream_take_or_end, &e, out + have, k - have);
			have = cprng_sort_distinct(out, have, k, n);
		}
	}
	stream_order(stream_take_or_end, &e, out, k, sizeof(*out));
	return e.ended ? stream_refuse(s, offset) : CPRNG_OK;
}

CPRNG_CLEARS static int stream_fill_array(cprng_stream *s, const struct cprng_array *array, void *out, size_t count)
{
	const size_t size = cprng_array_size(array->kind);

	if (!cprng_stream_is_open(s) || (out == NULL && count != 0) || !cprng_array_valid(array))
		return CPRNG_ERR_ARGUMENT;
	if (count > cprng_stream_left(s) / cprng_array_word(array->kind))
		return CPRNG_ERR_RANGE;
	if (count > SIZE_MAX / size || !cprng_has_end(out, count * size))
		return CPRNG_ERR_ARGUMENT;
	if (!cprng_array_possible(array->kind))
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	if (cprng_array_refuses(array->kind)) {
		const uint64_t offset = cprng_stream_tell(s);
		struct ending e = { s, false };

		cprng_array_fill(array, stream_take_or_end, &e, out, count);
		if (e.ended)
			return stream_refuse(s, offset);
	} else {
		cprng_array_fill(array, stream_take, s, out, count);
	}
	cprng_clear_registers();
	return CPRNG_OK;
}

CPRNG_CLEARS static int stream_fill(cprng_stream *s, enum cprng_array_kind kind, double location, double scale,
				    void *out, size_t count)
{
	const struct cprng_array array = { kind, location, scale, 0, 0, NULL };

	return stream_fill_array(s, &array, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_uniform32(cprng_stream *s, uint32_t *out, size_t count, uint32_t bound)
{
	const struct cprng_array array = cprng_array_uniform32(bound);

	return stream_fill_array(s, &array, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_uniform64(cprng_stream *s, uint64_t *out, size_t count, uint64_t bound)
{
	const struct cprng_array array = cprng_array_uniform64(bound);

	return stream_fill_array(s, &array, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_range64(cprng_stream *s, uint64_t *out, size_t count, uint64_t lo, uint64_t hi)
{
	const struct cprng_array array = cprng_array_range64(lo, hi);

	return stream_fill_array(s, &array, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_int_range(cprng_stream *s, int64_t *out, size_t count, int64_t lo, int64_t hi)
{
	const struct cprng_array array = cprng_array_int_range(lo, hi);

	return stream_fill_array(s, &array, out, count);
}

/* Make a text of the bytes in the buffer.  Return false, and take none, if they are too few. */
CPRNG_CLEARS static bool stream_text_of_buffer(cprng_stream *s, uint8_t *out, size_t length, const uint8_t *alphabet,
					       uint32_t symbols)
{
	ptrdiff_t next = s->next;

	for (size_t made = 0; made < length;) {
		const size_t tries = length - made;

		if (tries > (size_t)-next)
			return false;
		made += cprng_array_choose_text(out + made, s->buffer + sizeof(s->buffer) + next, tries, alphabet,
						symbols);
		next += (ptrdiff_t)tries;
	}
	s->next = next;
	return true;
}

CPRNG_CLEARS int cprng_stream_text(cprng_stream *s, char *out, size_t length, const char *alphabet, size_t symbols)
{
	const struct cprng_array array = cprng_array_text(alphabet, symbols);
	int error = CPRNG_OK;

	if (!cprng_array_text_valid(out, length, alphabet, symbols))
		return CPRNG_ERR_ARGUMENT;
	if (!cprng_stream_is_open(s) ||
	    !stream_text_of_buffer(s, (uint8_t *)out, length, array.alphabet, (uint32_t)symbols))
		error = stream_fill_array(s, &array, out, length);
	if (error == CPRNG_OK)
		out[length] = '\0';
	else if (error == CPRNG_ERR_RANGE)
		out[0] = '\0';
	return error;
}

CPRNG_CLEARS int cprng_stream_fill_u32(cprng_stream *s, uint32_t *out, size_t count)
{
	return stream_fill(s, CPRNG_ARRAY_U32, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_u64(cprng_stream *s, uint64_t *out, size_t count)
{
	return stream_fill(s, CPRNG_ARRAY_U64, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_float(cprng_stream *s, float *out, size_t count)
{
	return stream_fill(s, CPRNG_ARRAY_FLOAT, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_double(cprng_stream *s, double *out, size_t count)
{
	return stream_fill(s, CPRNG_ARRAY_DOUBLE, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_normal(cprng_stream *s, double *out, size_t count, double mu, double sigma)
{
	return stream_fill(s, CPRNG_ARRAY_NORMAL, mu, sigma, out, count);
}

CPRNG_CLEARS int cprng_stream_fill_exponential(cprng_stream *s, double *out, size_t count, double mean)
{
	return stream_fill(s, CPRNG_ARRAY_EXPONENTIAL, 0, mean, out, count);
}

CPRNG_CLEARS double cprng_stream_normal(cprng_stream *s, double mu, double sigma)
{
	if (!cprng_number_normal_valid(mu, sigma))
		return __builtin_nan("");
	if (!cprng_numbers_pass())
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	return cprng_number_normal(cprng_stream_u64(s), mu, sigma);
}

CPRNG_CLEARS double cprng_stream_exponential(cprng_stream *s, double mean)
{
	if (!cprng_number_exponential_valid(mean))
		return __builtin_nan("");
	if (!cprng_numbers_pass())
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	return cprng_number_exponential(cprng_stream_u64(s), mean);
}

/* ------------------------------------------------------------------------------ numbers of streams that may end */

CPRNG_CLEARS static uint64_t ending_u64(void *source)
{
	uint8_t bytes[8];

	stream_take_or_end(source, bytes, sizeof(bytes));
	return cprng_load_le64(bytes);
}

/* cprng_stream_uniform32(); bound is not 0. */
CPRNG_CLEARS static uint32_t ending_uniform32(void *source, uint32_t bound)
{
	const uint32_t refused = -bound % bound;
	uint8_t bytes[4];
	uint64_t m;

	do {
		stream_take_or_end(source, bytes, sizeof(bytes));
		m = (uint64_t)cprng_load_le32(bytes) * bound;
	} while (CPRNG_UNLIKELY((uint32_t)m < refused));
	return (uint32_t)(m >> 32);
}

CPRNG_CLEARS static uint64_t ending_uniform64(void *source, uint64_t bound)
{
	return cprng_choose64(ending_uniform32, ending_u64, source, bound);
}

CPRNG_CLEARS int cprng_stream_try_range64(cprng_stream *s, uint64_t *out, uint64_t lo, uint64_t hi)
{
	struct ending e = { s, false };
	uint64_t offset, number;

	if (!cprng_stream_is_open(s) || out == NULL)
		return CPRNG_ERR_ARGUMENT;
	offset = cprng_stream_tell(s);
	number = cprng_choose_between(ending_uniform64, ending_u64, &e, lo, hi);
	if (e.ended)
		return stream_refuse(s, offset);
	*out = number;
	return CPRNG_OK;
}

/* Bound 0 takes the bytes of bound 1, and gives 0 as well. */
CPRNG_CLEARS int cprng_stream_try_uniform64(cprng_stream *s, uint64_t *out, uint64_t bound)
{
	return cprng_stream_try_range64(s, out, 0, bound != 0 ? bound - 1 : 0);
}

CPRNG_CLEARS int cprng_stream_try_int_range(cprng_stream *s, int64_t *out, int64_t lo, int64_t hi)
{
	const uint64_t first = (uint64_t)(lo < hi ? lo : hi), last = (uint64_t)(lo < hi ? hi : lo);
	uint64_t distance = 0;
	const int error = out != NULL ? cprng_stream_try_range64(s, &distance, 0, last - first) : CPRNG_ERR_ARGUMENT;

	if (error == CPRNG_OK)
		*out = (int64_t)(first + distance);
	return error;
}

CPRNG_CLEARS int cprng_stream_try_bernoulli(cprng_stream *s, int *out, double p)
{
	struct ending e = { s, false };
	uint64_t offset;
	int success;

	if (!cprng_stream_is_open(s) || out == NULL)
		return CPRNG_ERR_ARGUMENT;
	offset = cprng_stream_tell(s);
	success = cprng_choose_bernoulli(ending_u64, &e, p);
	if (e.ended)
		return stream_refuse(s, offset);
	*out = success;
	return CPRNG_OK;
}

CPRNG_CLEARS int cprng_stream_try_bernoulli_ratio(cprng_stream *s, int *out, uint64_t numerator, uint64_t denominator)
{
	uint64_t number = 0;
	const int error = out != NULL ? cprng_stream_try_uniform64(s, &number, denominator) : CPRNG_ERR_ARGUMENT;

	if (error == CPRNG_OK)
		*out = number < numerator;
	return error;
}

/* cprng_choose_column() without its products. */
CPRNG_CLEARS int cprng_stream_try_weighted(cprng_stream *s, size_t *out, const cprng_weights *w)
{
	uint64_t unit = 0, column;
	int error;

	if (out == NULL || w == NULL || w->count == 0)
		return CPRNG_ERR_ARGUMENT;
	error = cprng_stream_try_uniform64(s, &unit, w->bound);
	if (error == CPRNG_OK) {
		column = unit / w->sum;
		*out = (size_t)(unit % w->sum < w->table[column].share ? column : w->table[column].other);
	}
	return error;
}

CPRNG_CLEARS int cprng_stream_try_shuffle(cprng_stream *s, void *base, size_t count, size_t size)
{
	struct ending e = { s, false };
	uint64_t offset;

	if (!cprng_stream_is_open(s) || (base == NULL && count > 1 && size != 0))
		return CPRNG_ERR_ARGUMENT;
	offset = cprng_stream_tell(s);
	stream_order(stream_take_or_end, &e, base, count, size);
	return e.ended ? stream_refuse(s, offset) : CPRNG_OK;
}

/* Read the 8 bytes of the number for *out. */
CPRNG_CLEARS static int stream_word(cprng_stream *s, const double *out, uint64_t *word)
{
	uint8_t bytes[8] = { 0 };
	const int error = out != NULL ? cprng_stream_read(s, bytes, sizeof(bytes)) : CPRNG_ERR_ARGUMENT;

	*word = cprng_load_le64(bytes);
	return error;
}

/* The same for a distribution, whose parameters may be invalid. */
CPRNG_CLEARS static int stream_distribution_word(cprng_stream *s, const double *out, bool valid, uint64_t *word)
{
	if (!valid)
		return CPRNG_ERR_ARGUMENT;
	if (!cprng_numbers_pass())
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	return stream_word(s, out, word);
}

CPRNG_CLEARS int cprng_stream_try_double(cprng_stream *s, double *out)
{
	uint64_t word;
	const int error = stream_word(s, out, &word);

	if (error == CPRNG_OK)
		*out = (double)(word >> 11) * 0x1p-53;
	return error;
}

CPRNG_CLEARS int cprng_stream_try_normal(cprng_stream *s, double *out, double mu, double sigma)
{
	uint64_t word;
	const int error = stream_distribution_word(s, out, cprng_number_normal_valid(mu, sigma), &word);

	if (error == CPRNG_OK)
		*out = cprng_number_normal(word, mu, sigma);
	return error;
}

CPRNG_CLEARS int cprng_stream_try_exponential(cprng_stream *s, double *out, double mean)
{
	uint64_t word;
	const int error = stream_distribution_word(s, out, cprng_number_exponential_valid(mean), &word);

	if (error == CPRNG_OK)
		*out = cprng_number_exponential(word, mean);
	return error;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of integers: by the library for draws and for short arrays of streams, if it has the type.  Otherwise by Lemire's method
 * (see <cprng/draw.h>) on arrays of words.  A word makes one number or none, so each part's words are
 * known before the parts in front of it are done.  Parts run concurrently, each stores its numbers densely at its own
 * beginning, and they are then joined.  The next round fills the places that rejections left.
 */
#include "core.h"
#include "parts.h"

#include <string.h>

/* Words are made in chunks that fit into the L1 cache. */
enum { CHUNK_BYTES = 16384 };

__extension__ typedef unsigned __int128 uint128;

/* Make numbers from count words, and store them densely at place.  Returns how many. */
typedef size_t take_words(const struct integers *job, const void *words, size_t count, void *place);

/* A word is accepted unless the product's low half is below `refused`; the high half is the number. */
#define DEFINE_SOME(word, product, element) \
	static size_t some_##word##_##element(const struct integers *job, const void *from, size_t count, void *place) \
	{ \
		const word *words = from, refused = (word)job->refused; \
		const product bound = (product)job->bound; \
		element *out = place; \
		size_t taken = 0; \
		for (size_t i = 0; i < count; i++) { \
			const product m = words[i] * bound; \
			out[taken] = (element)(job->low + (uint64_t)(m >> 8 * sizeof(word))); \
			taken += (word)m >= refused; \
		} \
		return taken; \
	}

/* The same without rejections: compilers vectorise this loop. */
#define DEFINE_EACH(word, product, element) \
	static size_t each_##word##_##element(const struct integers *job, const void *from, size_t count, void *place) \
	{ \
		const word *words = from; \
		const product bound = (product)job->bound; \
		element *out = place; \
		for (size_t i = 0; i < count; i++) \
			out[i] = (element)(job->low + (uint64_t)(words[i] * bound >> 8 * sizeof(word))); \
		return count; \
	}

/* Words of 64 bits, used whole. */
#define DEFINE_WHOLE(element) \
	static size_t whole_##element(const struct integers *job, const void *from, size_t count, void *place) \
	{ \
		const uint64_t *words = from; \
		element *out = place; \
		for (size_t i = 0; i < count; i++) \
			out[i] = (element)(job->low + words[i]); \
		return count; \
	}

#define DEFINE_ALL(element) \
	DEFINE_SOME(uint32_t, uint64_t, element) \
	DEFINE_SOME(uint64_t, uint128, element) \
	DEFINE_EACH(uint32_t, uint64_t, element) \
	DEFINE_EACH(uint64_t, uint128, element) \
	DEFINE_WHOLE(element)
DEFINE_ALL(uint8_t)
DEFINE_ALL(uint16_t)
DEFINE_ALL(uint32_t)
DEFINE_ALL(uint64_t)

/* Rows: the element's size.  Columns: 32-bit and 64-bit words with rejections, the same without, whole 64-bit words. */
#define ROW(element) \
	{ some_uint32_t_##element, some_uint64_t_##element, each_uint32_t_##element, each_uint64_t_##element, \
	  whole_##element }
enum { SOME, EACH = 2, WHOLE = 4, WAYS };
static take_words *const takes[][WAYS] = { ROW(uint8_t), ROW(uint16_t), ROW(uint32_t), ROW(uint64_t) };

/* Bounds below 2^32 use 4-byte words. */
static bool wide(const struct integers *job)
{
	return job->bound == 0 || job->bound > UINT32_MAX;
}

static size_t word_size(const struct integers *job)
{
	return wide(job) ? sizeof(uint64_t) : sizeof(uint32_t);
}

static take_words *choose(const struct integers *job)
{
	const size_t row = job->size == 1 ? 0 : job->size == 2 ? 1 : job->size == 4 ? 2 : 3;

	if (job->bound == 0)
		return takes[row][WHOLE];
	return takes[row][(job->refused == 0 ? EACH : SOME) + wide(job)];
}

/* Whether the library has arrays of such integers. */
static bool is_of_library(const struct integers *job)
{
	return job->size == sizeof(uint64_t) ? job->bound != 0 : job->size == sizeof(uint32_t) && !wide(job);
}

static int fill_by_library(const struct integers *job, cprng_stream *s, void *out, size_t count)
{
	const uint64_t low = job->low, last = low + job->bound - 1;
	uint32_t *numbers = out;
	int error;

	if (job->size == sizeof(uint64_t))
		/* In one of the two types no number lies between the last and the first. */
		return low <= last ? FILL(range64, out, count, low, last) :
				     FILL(int_range, out, count, (int64_t)low, (int64_t)last);
	error = FILL(uniform32, numbers, count, (uint32_t)job->bound);
	for (size_t i = 0; low != 0 && error == 0 && i < count; i++)
		numbers[i] += (uint32_t)low;
	return error;
}

static int next_words(const struct integers *job, cprng_stream *s, void *words, size_t count)
{
	return wide(job) ? FILL(u64, words, count) : FILL(u32, words, count);
}

/* Make numbers from a part's words, and store their count as its result. */
static int take_part(const struct integers *job, cprng_stream *s, struct part *part)
{
	_Alignas(64) unsigned char words[CHUNK_BYTES];
	take_words *const take = choose(job);
	unsigned char *out = job->from + part->begin * job->size;
	int error = 0;

	part->result = 0;
	for (size_t left = part->end - part->begin, n; left > 0 && error == 0; left -= n) {
		n = left < sizeof(words) / word_size(job) ? left : sizeof(words) / word_size(job);
		error = next_words(job, s, words, n);
		if (error == 0)
			part->result += take(job, words, n, out + part->result * job->size);
	}
	core_wipe(words, sizeof(words));
	return error;
}

static int work(void *argument, struct part *part)
{
	const struct integers *job = argument;
	cprng_stream s;
	int error;

	if (job->stream == NULL && is_of_library(job)) {
		part->result = part->end - part->begin;
		return fill_by_library(job, NULL, job->from + part->begin * job->size, part->result);
	}
	if (job->stream == NULL)
		return take_part(job, NULL, part);
	s = *job->stream;
	error = cprng_stream_advance(&s, (int64_t)(part->begin * word_size(job)));
	if (error == 0)
		error = take_part(job, &s, part);
	cprng_stream_wipe(&s);
	return error;
}

/* Move the parts' numbers together; returns their count. */
static size_t join(const struct integers *job, const struct part *parts, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (count != parts[i].begin)
			memmove(job->from + count * job->size, job->from + parts[i].begin * job->size,
				parts[i].result * job->size);
		count += parts[i].result;
	}
	return count;
}

int integers_fill(struct integers *job, size_t n)
{
	struct part parts[PARTS_MAX];
	size_t done = 0;

	if (job->stream != NULL && n <= 1 && is_of_library(job))
		return fill_by_library(job, job->stream, job->out, job->count);
	if (!wide(job))
		job->refused = -(uint32_t)job->bound % (uint32_t)job->bound;
	else
		job->refused = job->bound == 0 ? 0 : -job->bound % job->bound;
	while (done < job->count) {
		const size_t words = job->count - done;
		int error;

		job->from = (unsigned char *)job->out + done * job->size;
		error = run_parts(work, job, parts, words, n);
		if (error == 0 && job->stream != NULL)
			error = cprng_stream_advance(job->stream, (int64_t)(words * word_size(job)));
		if (error != 0)
			return error;
		done += join(job, parts, n < 1 ? 1 : n);
		/* If the rest is small, one part is enough. */
		n = words - (job->count - done) > words / 2 && job->count - done < 65536 ? 1 : n;
	}
	return 0;
}

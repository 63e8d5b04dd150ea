/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the addon and of WebAssembly: streams, and numbers from draws. */
#include "calls.h"

#include <string.h>

/* A function of the library for arrays: of a stream, or of draws if the stream is NULL. */
#define FILL(stream, name, ...) \
	((stream) == NULL ? cprng_fill_##name(__VA_ARGS__) : cprng_stream_fill_##name(stream, __VA_ARGS__))

/* Numbers that one array on the stack holds. */
enum { BLOCK = 256 };

/* Erases memory with stores that the compiler keeps. */
static void wipe(void *memory, size_t size)
{
	memset(memory, 0, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

size_t cprng_node_element_size(uint64_t type)
{
	static const uint8_t sizes[] = { 1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8 };

	return type < sizeof(sizes) ? sizes[type] : 0;
}

int cprng_node_fill(cprng_stream *stream, uint64_t kind, void *numbers, size_t count, double a, double b)
{
	switch (kind) {
	case KIND_U32:
		return FILL(stream, u32, numbers, count);
	case KIND_U64:
		return FILL(stream, u64, numbers, count);
	case KIND_FLOAT:
		return FILL(stream, float, numbers, count);
	case KIND_DOUBLE:
		return FILL(stream, double, numbers, count);
	case KIND_NORMAL:
		return FILL(stream, normal, numbers, count, a, b);
	case KIND_EXPONENTIAL:
		return FILL(stream, exponential, numbers, count, a);
	default:
		return CPRNG_ERR_ARGUMENT;
	}
}

/* v: kind, array, a, b */
static int fill_numbers(cprng_stream *stream, const union value *v)
{
	static const uint8_t types[KINDS] = { UINT32, BIGUINT64, FLOAT32, FLOAT64, FLOAT64, FLOAT64 };

	if (v[0].u >= KINDS || v[3].u != types[v[0].u])
		return CPRNG_ERR_ARGUMENT;
	return cprng_node_fill(stream, v[0].u, v[1].p, v[2].u / cprng_node_element_size(v[3].u), v[4].d, v[5].d);
}

/* Integers below 2^32 as single calls make them, from 8 bytes each, so they pass through an array on the stack. */
static int fill_words(cprng_stream *stream, uint32_t *numbers, size_t count)
{
	const uint64_t offset = cprng_stream_tell(stream);
	uint64_t block[BLOCK];
	int error = CPRNG_OK;

	for (size_t n; count != 0 && error == CPRNG_OK; numbers += n, count -= n) {
		n = count < BLOCK ? count : BLOCK;
		error = FILL(stream, uniform64, block, n, (uint64_t)1 << 32);
		for (size_t i = 0; i < n; i++)
			numbers[i] = (uint32_t)block[i];
	}
	wipe(block, sizeof(block));
	return error == CPRNG_OK || cprng_stream_seek(stream, offset) != CPRNG_OK ? error : CPRNG_ERR_RANGE;
}

/* Replace each integer of 64 bits by it plus first, as a double. */
static void make_doubles(void *numbers, size_t count, uint64_t first)
{
	union value *const both = numbers;

	for (size_t i = 0; i < count; i++)
		both[i].d = (double)(int64_t)(first + both[i].u);
}

/* v: array, first, count: integers from first on, count of them (0: 2^64; at most 2^32 for elements of 32 bits). */
static int fill_integers(cprng_stream *stream, const union value *v)
{
	const uint64_t type = v[2].u, first = v[3].u, bound = v[4].u;
	const size_t count = v[1].u / cprng_node_element_size(type);
	uint32_t *const words = v[0].p;
	uint64_t *const wide = v[0].p;
	int error;

	if (type == INT32 || type == UINT32) {
		error = bound >> 32 != 0 ? fill_words(stream, words, count) :
					   FILL(stream, uniform32, words, count, (uint32_t)bound);
		for (size_t i = 0; i < count; i++)
			words[i] += (uint32_t)first;
		return error;
	}
	if (type < FLOAT64)
		return CPRNG_ERR_ARGUMENT;
	/* A bound of 0 is 2^64. */
	error = FILL(stream, range64, wide, count, 0, bound - 1);
	if (type == FLOAT64)
		make_doubles(wide, count, first);
	else
		for (size_t i = 0; i < count; i++)
			wide[i] += first;
	return error;
}

/* v: array, n: a sample, as integers of 64 bits or as doubles */
static int sample_of(cprng_stream *stream, const union value *v)
{
	const size_t count = v[1].u / sizeof(uint64_t);
	int error;

	if (v[2].u != FLOAT64 && v[2].u != BIGUINT64)
		return CPRNG_ERR_ARGUMENT;
	error = stream == NULL ? cprng_sample(v[0].p, count, v[3].u) :
				 cprng_stream_sample(stream, v[0].p, count, v[3].u);
	if (error == CPRNG_OK && v[2].u == FLOAT64)
		make_doubles(v[0].p, count, 0);
	return error;
}

#define CALL(name, call) \
	static int name(union value *v) \
	{ \
		return call; \
	}
CALL(fill_draws, fill_numbers(NULL, v))
CALL(fill_integers_draws, fill_integers(NULL, v))
CALL(sample_draws, sample_of(NULL, v))
CALL(seed_number, cprng_stream_seed_number(v[0].s, v[1].text, v[2].p, v[3].u, v[5].u != 0))
CALL(seed_text, cprng_stream_seed_text(v[0].s, v[1].text, v[2].p, v[3].u))
CALL(seed_bytes, cprng_stream_seed_bytes(v[0].s, v[1].text, v[2].p, v[3].u))
CALL(init, cprng_stream_init(v[0].s, v[1].text, v[2].p, v[3].u, v[6].u == 0 ? NULL : v[5].p, v[6].u))
CALL(child, cprng_stream_child(v[0].s, v[1].u, v[2].s))
CALL(read_bytes, cprng_stream_read(v[0].s, v[1].p, v[2].u))
CALL(seek, cprng_stream_seek(v[0].s, v[1].u))
CALL(advance, cprng_stream_advance(v[0].s, (int64_t)v[1].u))
CALL(save, cprng_stream_save(v[0].s, v[1].p, v[2].u))
CALL(restore, cprng_stream_restore(v[0].s, v[1].p, v[2].u))
CALL(number_double, cprng_stream_try_double(v[0].s, &v[0].d))
CALL(number_normal, cprng_stream_try_normal(v[0].s, &v[0].d, 0, 1))
CALL(number_exponential, cprng_stream_try_exponential(v[0].s, &v[0].d, 1))
CALL(fill_stream, fill_numbers(v[0].s, v + 1))
CALL(fill_integers_stream, fill_integers(v[0].s, v + 1))
CALL(sample_stream, sample_of(v[0].s, v + 1))

/* Functions that always return a result.  JavaScript scales the standard numbers with the same operations as C. */
#define RESULT(name, member, call) \
	static int name(union value *v) \
	{ \
		v[0].member = call; \
		return CPRNG_OK; \
	}
RESULT(tell, u, cprng_stream_tell(v[0].s))
RESULT(integer, u, v[0].u + cprng_range64(0, v[1].u - 1))
RESULT(word, d, cprng_fast32())
RESULT(normal, d, cprng_normal(0, 1))
RESULT(exponential, d, cprng_exponential(1))
RESULT(message, text, cprng_strerror(-(int)v[0].u))

static int end(union value *v)
{
	cprng_stream_wipe(v[0].s);
	return CPRNG_OK;
}

/* v: stream, size: the next 1 to 8 bytes as an integer */
static int number(union value *v)
{
	uint8_t bytes[8] = { 0 };
	const int error = v[1].u > sizeof(bytes) ? CPRNG_ERR_ARGUMENT : cprng_stream_read(v[0].s, bytes, v[1].u);

	v[0].u = 0;
	for (size_t i = sizeof(bytes); i-- > 0;)
		v[0].u = v[0].u << 8 | bytes[i];
	return error;
}

/* v: stream, first, count: first plus an integer below count, which is 2^64 if it is 0 */
static int integer_stream(union value *v)
{
	const uint64_t first = v[1].u;
	const int error = cprng_stream_try_range64(v[0].s, &v[0].u, 0, v[2].u - 1);

	v[0].u += first;
	return error;
}

/* v: stream, bound: an integer below a bound of at most 2^53 */
static int uniform(union value *v)
{
	const int error = cprng_stream_try_uniform64(v[0].s, &v[0].u, v[1].u);

	v[0].d = (double)v[0].u;
	return error;
}

const struct call cprng_node_calls[] = {
	{ "fillNumbers", "wfdd", 0, fill_draws },
	{ "integer", "bb", 'b', integer },
	{ "fillIntegers", "gbb", 0, fill_integers_draws },
	{ "word", "", 'd', word },
	{ "normal", "", 'd', normal },
	{ "exponential", "", 'd', exponential },
	{ "sample", "xb", 0, sample_draws },
	{ "message", "w", 't', message },
	{ "streamSeedNumber", "snrw", 0, seed_number },
	{ "streamSeedText", "snr", 0, seed_text },
	{ "streamSeedBytes", "snr", 0, seed_bytes },
	{ "streamInit", "snrr", 0, init },
	{ "streamChild", "sbs", 0, child },
	{ "streamWipe", "s", 0, end },
	{ "streamRead", "sp", 0, read_bytes },
	{ "streamSeek", "sb", 0, seek },
	{ "streamAdvance", "sb", 0, advance },
	{ "streamTell", "s", 'b', tell },
	{ "streamSave", "sx", 0, save },
	{ "streamRestore", "sr", 0, restore },
	{ "streamNumber", "sw", 'b', number },
	{ "streamDouble", "s", 'd', number_double },
	{ "streamUniform", "sw", 'd', uniform },
	{ "streamInteger", "sbb", 'b', integer_stream },
	{ "streamFillIntegers", "sgbb", 0, fill_integers_stream },
	{ "streamNormal", "s", 'd', number_normal },
	{ "streamExponential", "s", 'd', number_exponential },
	{ "streamFillNumbers", "swfdd", 0, fill_stream },
	{ "streamSample", "sxb", 0, sample_stream },
	{ NULL, NULL, 0, NULL },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For programs built with clang's MemorySanitizer, which does not see writes by code that was built without it.  Wraps each
 * function that writes to its caller's memory in one that also tells the sanitizer.  The other headers include this file
 * only in such programs, in which draws are not inlined.
 */
#ifndef CPRNG_MSAN_H
#define CPRNG_MSAN_H

#include <sanitizer/msan_interface.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Define name##_unpoisoned, which calls name and unpoisons `bytes` bytes at `at` unless it returns an error. */
#define CPRNG_UNPOISON(name, parameters, arguments, at, bytes) \
	CPRNG_UNPOISON_IF(cprng_result == 0, name, parameters, arguments, at, bytes)
#define CPRNG_UNPOISON_IF(written, name, parameters, arguments, at, bytes) \
	static __inline__ CPRNG_WARN_UNUSED int name##_unpoisoned parameters \
	{ \
		int cprng_result = name arguments; \
		if (written) \
			__msan_unpoison(at, bytes); \
		return cprng_result; \
	}
#define CPRNG_UNPOISON_VOID(name, parameters, arguments, at, bytes) \
	static __inline__ void name##_unpoisoned parameters \
	{ \
		name arguments; \
		__msan_unpoison(at, bytes); \
	}

CPRNG_UNPOISON_VOID(cprng_fast, (void *buf, size_t len), (buf, len), buf, len)
CPRNG_UNPOISON_VOID(cprng_strong, (void *buf, size_t len), (buf, len), buf, len)
CPRNG_UNPOISON(cprng_sample, (uint64_t *out, size_t k, uint64_t n), (out, k, n), out, k * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_u32, (uint32_t *out, size_t count), (out, count), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_u64, (uint64_t *out, size_t count), (out, count), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_uniform32, (uint32_t *out, size_t count, uint32_t bound), (out, count, bound), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_uniform64, (uint64_t *out, size_t count, uint64_t bound), (out, count, bound), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_range64, (uint64_t *out, size_t count, uint64_t lo, uint64_t hi), (out, count, lo, hi), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_int_range, (int64_t *out, size_t count, int64_t lo, int64_t hi), (out, count, lo, hi), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_float, (float *out, size_t count), (out, count), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_double, (double *out, size_t count), (out, count), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_normal, (double *out, size_t count, double mu, double sigma), (out, count, mu, sigma), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_fill_exponential, (double *out, size_t count, double mean), (out, count, mean), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_text, (char *out, size_t length, const char *alphabet, size_t symbols),
	       (out, length, alphabet, symbols), out, length + 1)
CPRNG_UNPOISON_VOID(cprng_uuid4, (uint8_t out[16]), (out), out, 16)
CPRNG_UNPOISON(cprng_uuid7, (uint8_t out[16]), (out), out, 16)
CPRNG_UNPOISON_VOID(cprng_uuid_text, (char out[37], const uint8_t uuid[16]), (out, uuid), out, 37)
static __inline__ CPRNG_WARN_UNUSED int cprng_weights_init_unpoisoned(cprng_weights *w, struct cprng_alias *table,
								      const uint64_t *weights, size_t count)
{
	int cprng_result = cprng_weights_init(w, table, weights, count);
	if (w != NULL)
		__msan_unpoison(w, sizeof(*w));
	if (cprng_result == 0)
		__msan_unpoison(table, count * sizeof(*table));
	return cprng_result;
}
CPRNG_UNPOISON_VOID(cprng_get_info, (struct cprng_info * info, size_t size), (info, size), info,
		    info != NULL ? size : 0)
CPRNG_UNPOISON_VOID(cprng_get_strong_info, (struct cprng_strong_info * info, size_t size), (info, size), info,
		    info != NULL ? size : 0)
CPRNG_UNPOISON(cprng_get_engine, (unsigned int index, struct cprng_engine_info *info, size_t size), (index, info, size),
	       info, size)

CPRNG_UNPOISON(cprng_stream_init,
	       (cprng_stream * s, const char *engine, const void *key, size_t key_len, const void *nonce,
		size_t nonce_len),
	       (s, engine, key, key_len, nonce, nonce_len), s, sizeof(*s))
CPRNG_UNPOISON(cprng_stream_seed_integer, (cprng_stream * s, const char *engine, uint64_t seed), (s, engine, seed), s,
	       sizeof(*s))
CPRNG_UNPOISON(cprng_stream_seed_string, (cprng_stream * s, const char *engine, const char *seed), (s, engine, seed), s,
	       sizeof(*s))
CPRNG_UNPOISON(cprng_stream_seed_bytes, (cprng_stream * s, const char *engine, const void *seed, size_t len),
	       (s, engine, seed, len), s, sizeof(*s))
CPRNG_UNPOISON(cprng_stream_seed_text, (cprng_stream * s, const char *engine, const char *text, size_t len),
	       (s, engine, text, len), s, sizeof(*s))
CPRNG_UNPOISON(cprng_stream_seed_number,
	       (cprng_stream * s, const char *engine, const void *magnitude, size_t len, int negative),
	       (s, engine, magnitude, len, negative), s, sizeof(*s))
CPRNG_UNPOISON(cprng_stream_child, (const cprng_stream *parent, uint64_t index, cprng_stream *child),
	       (parent, index, child), child, sizeof(*child))
CPRNG_UNPOISON(cprng_stream_restore, (cprng_stream * s, const void *buf, size_t len), (s, buf, len), s, sizeof(*s))
CPRNG_UNPOISON(cprng_stream_read, (cprng_stream * s, void *buf, size_t len), (s, buf, len), buf, len)
CPRNG_UNPOISON(cprng_stream_save, (const cprng_stream *s, void *buf, size_t len), (s, buf, len), buf,
	       CPRNG_STREAM_CHECKPOINT_SIZE)
CPRNG_UNPOISON(cprng_stream_sample, (cprng_stream * s, uint64_t *out, size_t k, uint64_t n), (s, out, k, n), out,
	       k * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_text, (cprng_stream * s, char *out, size_t length, const char *alphabet, size_t symbols),
	       (s, out, length, alphabet, symbols), out, length + 1)
CPRNG_UNPOISON(cprng_stream_uuid4, (cprng_stream * s, uint8_t out[16]), (s, out), out, 16)
CPRNG_UNPOISON(cprng_stream_uuid7, (cprng_stream * s, uint64_t unix_ms, uint8_t out[16]), (s, unix_ms, out), out, 16)
CPRNG_UNPOISON(cprng_stream_try_double, (cprng_stream * s, double *out), (s, out), out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_uniform64, (cprng_stream * s, uint64_t *out, uint64_t bound), (s, out, bound), out,
	       sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_range64, (cprng_stream * s, uint64_t *out, uint64_t lo, uint64_t hi), (s, out, lo, hi),
	       out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_int_range, (cprng_stream * s, int64_t *out, int64_t lo, int64_t hi), (s, out, lo, hi),
	       out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_normal, (cprng_stream * s, double *out, double mu, double sigma), (s, out, mu, sigma),
	       out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_exponential, (cprng_stream * s, double *out, double mean), (s, out, mean), out,
	       sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_bernoulli, (cprng_stream * s, int *out, double p), (s, out, p), out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_bernoulli_ratio, (cprng_stream * s, int *out, uint64_t numerator, uint64_t denominator),
	       (s, out, numerator, denominator), out, sizeof(*out))
CPRNG_UNPOISON(cprng_stream_try_weighted, (cprng_stream * s, size_t *out, const cprng_weights *w), (s, out, w), out,
	       sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_u32, (cprng_stream * s, uint32_t *out, size_t count), (s, out, count), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_u64, (cprng_stream * s, uint64_t *out, size_t count), (s, out, count), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_uniform32, (cprng_stream * s, uint32_t *out, size_t count, uint32_t bound),
	       (s, out, count, bound), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_uniform64, (cprng_stream * s, uint64_t *out, size_t count, uint64_t bound),
	       (s, out, count, bound), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_range64, (cprng_stream * s, uint64_t *out, size_t count, uint64_t lo, uint64_t hi),
	       (s, out, count, lo, hi), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_int_range, (cprng_stream * s, int64_t *out, size_t count, int64_t lo, int64_t hi),
	       (s, out, count, lo, hi), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_float, (cprng_stream * s, float *out, size_t count), (s, out, count), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_double, (cprng_stream * s, double *out, size_t count), (s, out, count), out,
	       count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_normal, (cprng_stream * s, double *out, size_t count, double mu, double sigma),
	       (s, out, count, mu, sigma), out, count * sizeof(*out))
CPRNG_UNPOISON(cprng_stream_fill_exponential, (cprng_stream * s, double *out, size_t count, double mean),
	       (s, out, count, mean), out, count * sizeof(*out))

/* The results are on the library's stack, so each report unpoisons its result. */
struct cprng_reporter {
	void (*report)(const struct cprng_selftest_result *result, void *arg);
	void *arg;
};

static __inline__ __attribute__((no_sanitize("memory"))) void cprng_report_unpoisoned(
	const struct cprng_selftest_result *result, void *reporter)
{
	__msan_unpoison(result, sizeof(*result));
	((struct cprng_reporter *)reporter)->report(result, ((struct cprng_reporter *)reporter)->arg);
}

static __inline__ CPRNG_WARN_UNUSED int cprng_selftest_unpoisoned(
	void (*report)(const struct cprng_selftest_result *result, void *arg), void *arg)
{
	struct cprng_reporter reporter;
	reporter.report = report;
	reporter.arg = arg;
	return cprng_selftest(report != NULL ? cprng_report_unpoisoned : NULL, &reporter);
}

#ifdef __cplusplus
}
#endif

#define cprng_fast cprng_fast_unpoisoned
#define cprng_strong cprng_strong_unpoisoned
#define cprng_sample cprng_sample_unpoisoned
#define cprng_fill_u32 cprng_fill_u32_unpoisoned
#define cprng_fill_u64 cprng_fill_u64_unpoisoned
#define cprng_fill_uniform32 cprng_fill_uniform32_unpoisoned
#define cprng_fill_uniform64 cprng_fill_uniform64_unpoisoned
#define cprng_fill_range64 cprng_fill_range64_unpoisoned
#define cprng_fill_int_range cprng_fill_int_range_unpoisoned
#define cprng_fill_float cprng_fill_float_unpoisoned
#define cprng_fill_double cprng_fill_double_unpoisoned
#define cprng_fill_normal cprng_fill_normal_unpoisoned
#define cprng_fill_exponential cprng_fill_exponential_unpoisoned
#define cprng_weights_init cprng_weights_init_unpoisoned
#define cprng_text cprng_text_unpoisoned
#define cprng_uuid4 cprng_uuid4_unpoisoned
#define cprng_uuid7 cprng_uuid7_unpoisoned
#define cprng_uuid_text cprng_uuid_text_unpoisoned
#define cprng_get_info cprng_get_info_unpoisoned
#define cprng_get_strong_info cprng_get_strong_info_unpoisoned
#define cprng_get_engine cprng_get_engine_unpoisoned
#define cprng_stream_init cprng_stream_init_unpoisoned
#define cprng_stream_seed_integer cprng_stream_seed_integer_unpoisoned
#define cprng_stream_seed_string cprng_stream_seed_string_unpoisoned
#define cprng_stream_seed_bytes cprng_stream_seed_bytes_unpoisoned
#define cprng_stream_seed_text cprng_stream_seed_text_unpoisoned
#define cprng_stream_seed_number cprng_stream_seed_number_unpoisoned
#define cprng_stream_child cprng_stream_child_unpoisoned
#define cprng_stream_restore cprng_stream_restore_unpoisoned
#define cprng_stream_read cprng_stream_read_unpoisoned
#define cprng_stream_save cprng_stream_save_unpoisoned
#define cprng_stream_sample cprng_stream_sample_unpoisoned
#define cprng_stream_text cprng_stream_text_unpoisoned
#define cprng_stream_uuid4 cprng_stream_uuid4_unpoisoned
#define cprng_stream_uuid7 cprng_stream_uuid7_unpoisoned
#define cprng_stream_try_double cprng_stream_try_double_unpoisoned
#define cprng_stream_try_uniform64 cprng_stream_try_uniform64_unpoisoned
#define cprng_stream_try_range64 cprng_stream_try_range64_unpoisoned
#define cprng_stream_try_int_range cprng_stream_try_int_range_unpoisoned
#define cprng_stream_try_normal cprng_stream_try_normal_unpoisoned
#define cprng_stream_try_exponential cprng_stream_try_exponential_unpoisoned
#define cprng_stream_try_bernoulli cprng_stream_try_bernoulli_unpoisoned
#define cprng_stream_try_bernoulli_ratio cprng_stream_try_bernoulli_ratio_unpoisoned
#define cprng_stream_try_weighted cprng_stream_try_weighted_unpoisoned
#define cprng_stream_fill_u32 cprng_stream_fill_u32_unpoisoned
#define cprng_stream_fill_u64 cprng_stream_fill_u64_unpoisoned
#define cprng_stream_fill_uniform32 cprng_stream_fill_uniform32_unpoisoned
#define cprng_stream_fill_uniform64 cprng_stream_fill_uniform64_unpoisoned
#define cprng_stream_fill_range64 cprng_stream_fill_range64_unpoisoned
#define cprng_stream_fill_int_range cprng_stream_fill_int_range_unpoisoned
#define cprng_stream_fill_float cprng_stream_fill_float_unpoisoned
#define cprng_stream_fill_double cprng_stream_fill_double_unpoisoned
#define cprng_stream_fill_normal cprng_stream_fill_normal_unpoisoned
#define cprng_stream_fill_exponential cprng_stream_fill_exponential_unpoisoned
#define cprng_selftest cprng_selftest_unpoisoned

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For MemorySanitizer, which aborts the program when it uses a byte not known to be written.  Calls each function of the headers
 * that writes to its caller's memory.  `msan unwritten` reads a byte that no function has written.
 */
#include <cprng/fortuna.h>
#ifdef __cplusplus
#include <array>
#include <cprng/cprng.hpp>
#endif

#include <sanitizer/msan_interface.h>

#include <stdlib.h>
#include <string.h>

#define REQUIRE(holds) \
	do { \
		if (!(holds)) \
			abort(); \
	} while (0)

/* Marks the bytes as unwritten, makes the call, and reads them. */
#define WRITES(at, bytes, call) \
	do { \
		__msan_poison(at, bytes); \
		call; \
		__msan_check_mem_is_initialized(at, bytes); \
	} while (0)
#define SUCCEEDS(at, bytes, call) WRITES(at, bytes, REQUIRE((call) == 0))

static void report(const struct cprng_selftest_result *result, void *count)
{
	if (result->engine != NULL && result->backend != NULL && result->failed == 0)
		++*(int *)count;
}

/* Later frames, including the library's, reuse this frame's place. */
__attribute__((noinline)) static void leave_unwritten(void)
{
	unsigned char unwritten[65536];

	__asm__ volatile("" : : "r"(unwritten) : "memory");
}

static void draws(void)
{
	static unsigned char bytes[5000];
	volatile size_t len = 24;
	int count = 0;
	struct cprng_info info;
	struct cprng_strong_info strong_info;
	struct cprng_engine_info engine;

	WRITES(bytes, 3, cprng_fast(bytes, 3));
	WRITES(bytes, 12, cprng_fast(bytes, 12));
	WRITES(bytes, 64, cprng_fast(bytes, 64));
	WRITES(bytes, 24, cprng_fast(bytes, len));
	WRITES(bytes, sizeof(bytes), cprng_fast(bytes, sizeof(bytes)));
	WRITES(bytes, 32, cprng_strong(bytes, 32));
	/* Values are returned in registers. */
	REQUIRE(cprng_fast8() + cprng_fast16() + cprng_fast32() + cprng_fast64() != 0 && cprng_uniform32(1) == 0 &&
		cprng_double() < 1 && cprng_normal(0, 1) < 10 && cprng_bool() < 2);
	WRITES(&info, sizeof(info), cprng_get_info(&info, sizeof(info)));
	WRITES(&strong_info, sizeof(strong_info), cprng_get_strong_info(&strong_info, sizeof(strong_info)));
	SUCCEEDS(&engine, sizeof(engine), cprng_get_engine(0, &engine, sizeof(engine)));
	REQUIRE(strlen(info.engine) > 0 && strlen(engine.name) > 0);
	leave_unwritten();
	REQUIRE(cprng_selftest(report, &count) == 0 && count > 0 && cprng_selftest(NULL, NULL) == 0);
}

static void numbers(void)
{
	uint64_t whole[40];
	int64_t around[40];
	uint32_t half[40];
	double real[40];
	float single[40];

	SUCCEEDS(whole, sizeof(whole), cprng_sample(whole, 40, 100));
	SUCCEEDS(half, sizeof(half), cprng_fill_u32(half, 40));
	SUCCEEDS(whole, sizeof(whole), cprng_fill_u64(whole, 40));
	SUCCEEDS(half, sizeof(half), cprng_fill_uniform32(half, 40, 1000));
	SUCCEEDS(whole, sizeof(whole), cprng_fill_uniform64(whole, 40, 1000));
	SUCCEEDS(whole, sizeof(whole), cprng_fill_range64(whole, 40, 1, UINT64_MAX - 1));
	SUCCEEDS(around, sizeof(around), cprng_fill_int_range(around, 40, -5, 5));
	SUCCEEDS(single, sizeof(single), cprng_fill_float(single, 40));
	SUCCEEDS(real, sizeof(real), cprng_fill_double(real, 40));
	SUCCEEDS(real, sizeof(real), cprng_fill_normal(real, 40, 0, 1));
	SUCCEEDS(real, sizeof(real), cprng_fill_exponential(real, 40, 1));
}

static void choices(void)
{
	static const uint64_t weights[] = { 3, 0, 4 };
	struct cprng_alias table[3];
	cprng_weights w;
	char text[41];
	uint8_t uuid[16];

	WRITES(&w, sizeof(w), REQUIRE(cprng_weights_init(&w, table, weights, 0) == CPRNG_ERR_ARGUMENT));
	SUCCEEDS(&w, sizeof(w), cprng_weights_init(&w, table, weights, 3));
	SUCCEEDS(table, sizeof(table), cprng_weights_init(&w, table, weights, 3));
	REQUIRE(cprng_weighted(&w) != 1 && cprng_bernoulli(1) == 1 && cprng_bernoulli_ratio(0, 1) == 0);
	SUCCEEDS(text, sizeof(text), cprng_text(text, 40, "ab", 2));
	WRITES(uuid, sizeof(uuid), cprng_uuid4(uuid));
	SUCCEEDS(uuid, sizeof(uuid), cprng_uuid7(uuid));
	WRITES(text, 37, cprng_uuid_text(text, uuid));
}

static void streams(void)
{
	static const unsigned char key[32] = { 0 };
	cprng_stream s, child;
	unsigned char bytes[CPRNG_STREAM_CHECKPOINT_SIZE];
	uint64_t whole[40];
	int64_t around[40];
	uint32_t half[40];
	double real[40];
	float single[40];
	static const uint64_t weights[] = { 3, 0, 4 };
	struct cprng_alias table[3];
	cprng_weights w;
	size_t index;
	int event;

	SUCCEEDS(&w, sizeof(w), cprng_weights_init(&w, table, weights, 3));
	SUCCEEDS(&s, sizeof(s), cprng_stream_init(&s, "chacha20", key, sizeof(key), NULL, 0));
	SUCCEEDS(&s, sizeof(s), cprng_stream_seed_string(&s, NULL, "a seed"));
	SUCCEEDS(&s, sizeof(s), cprng_stream_seed_bytes(&s, NULL, key, sizeof(key)));
	SUCCEEDS(&s, sizeof(s), cprng_stream_seed_text(&s, NULL, "a seed", 6));
	SUCCEEDS(&s, sizeof(s), cprng_stream_seed_number(&s, NULL, key, sizeof(key), 1));
	SUCCEEDS(&s, sizeof(s), cprng_stream_seed_integer(&s, NULL, 1));
	SUCCEEDS(&child, sizeof(child), cprng_stream_child(&s, 2, &child));
	SUCCEEDS(bytes, sizeof(bytes), cprng_stream_save(&s, bytes, sizeof(bytes)));
	SUCCEEDS(&child, sizeof(child), cprng_stream_restore(&child, bytes, sizeof(bytes)));
	SUCCEEDS(bytes, sizeof(bytes), cprng_stream_read(&s, bytes, sizeof(bytes)));
	SUCCEEDS(whole, sizeof(whole), cprng_stream_sample(&s, whole, 40, 100));
	SUCCEEDS(bytes, 41, cprng_stream_text(&s, (char *)bytes, 40, "ab", 2));
	SUCCEEDS(bytes, 16, cprng_stream_uuid4(&s, bytes));
	SUCCEEDS(bytes, 16, cprng_stream_uuid7(&s, 1, bytes));
	SUCCEEDS(real, sizeof(*real), cprng_stream_try_double(&s, real));
	SUCCEEDS(real, sizeof(*real), cprng_stream_try_normal(&s, real, 0, 1));
	SUCCEEDS(real, sizeof(*real), cprng_stream_try_exponential(&s, real, 1));
	SUCCEEDS(whole, sizeof(*whole), cprng_stream_try_uniform64(&s, whole, 1000));
	SUCCEEDS(whole, sizeof(*whole), cprng_stream_try_range64(&s, whole, 1, UINT64_MAX - 1));
	SUCCEEDS(around, sizeof(*around), cprng_stream_try_int_range(&s, around, -5, 5));
	SUCCEEDS(&event, sizeof(event), cprng_stream_try_bernoulli(&s, &event, 0.5));
	SUCCEEDS(&event, sizeof(event), cprng_stream_try_bernoulli_ratio(&s, &event, 1, 2));
	SUCCEEDS(&index, sizeof(index), cprng_stream_try_weighted(&s, &index, &w));
	SUCCEEDS(half, sizeof(half), cprng_stream_fill_u32(&s, half, 40));
	SUCCEEDS(whole, sizeof(whole), cprng_stream_fill_u64(&s, whole, 40));
	SUCCEEDS(half, sizeof(half), cprng_stream_fill_uniform32(&s, half, 40, 1000));
	SUCCEEDS(whole, sizeof(whole), cprng_stream_fill_uniform64(&s, whole, 40, 1000));
	SUCCEEDS(whole, sizeof(whole), cprng_stream_fill_range64(&s, whole, 40, 1, UINT64_MAX - 1));
	SUCCEEDS(around, sizeof(around), cprng_stream_fill_int_range(&s, around, 40, -5, 5));
	SUCCEEDS(single, sizeof(single), cprng_stream_fill_float(&s, single, 40));
	SUCCEEDS(real, sizeof(real), cprng_stream_fill_double(&s, real, 40));
	SUCCEEDS(real, sizeof(real), cprng_stream_fill_normal(&s, real, 40, 0, 1));
	SUCCEEDS(real, sizeof(real), cprng_stream_fill_exponential(&s, real, 40, 1));
	/* Otherwise inlined: from the object's buffer. */
	REQUIRE(cprng_stream_u8(&s) + cprng_stream_u32(&s) + cprng_stream_u64(&s) != 0 && cprng_stream_double(&s) < 1);
}

static void objects(void)
{
	static const unsigned char seed[32] = { 0 };
	const struct cprng_fortuna_options wrong = { NULL, 1, 0, NULL };
	unsigned char bytes[100];
	struct cprng_fortuna_info info;
	cprng_fortuna *f;

	SUCCEEDS(&f, sizeof(f), cprng_fortuna_new(&f, NULL, 0));
	REQUIRE(cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
	SUCCEEDS(bytes, sizeof(bytes), cprng_fortuna_read(f, bytes, sizeof(bytes)));
	SUCCEEDS(&info, sizeof(info), cprng_fortuna_get_info(f, &info, sizeof(info)));
	cprng_fortuna_free(f);
	/* *f is NULL after an error. */
	WRITES(&f, sizeof(f), REQUIRE(cprng_fortuna_new(&f, &wrong, sizeof(wrong)) == CPRNG_ERR_ARGUMENT));
}

#ifdef __cplusplus
static void objects_of_cxx()
{
	std::array<unsigned char, 16> bytes;

	WRITES(bytes.data(), bytes.size(), cprng::fill(bytes));
	cprng::stream stream(7);
	WRITES(bytes.data(), bytes.size(), stream.read(bytes.data(), bytes.size()));
	REQUIRE(cprng::generator()() != cprng::generator()());
}
#endif

int main(int argc, char **argv)
{
	unsigned char unwritten[2];

	(void)argv;
	draws();
	numbers();
	choices();
	streams();
	objects();
#ifdef __cplusplus
	objects_of_cxx();
#endif
	cprng_fast(unwritten, 1);
	return argc > 1 && unwritten[1] == 0 ? 2 : 0;
}

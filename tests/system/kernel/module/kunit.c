/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cprng_kunit.ko: the module's promises to its callers, as a KUnit suite, for kernels with KUnit.  Loading it runs the
 * suite, and the kernel's log has the results.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "kernel/linux/compat.h"
#include "kernel/linux/cprng.h"
#include "kernel/linux/module.h"

/* More than one vector section, and a tail. */
enum { LONG = 4096 + 256 + 63 };

/* RFC 8439's block function for zero key, nonce and counter (test vector 1 in appendix A.1). */
static const u8 zero_block[16] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90,
				   0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28 };

static void cipher_gives_the_bytes_of_the_rfc(struct kunit *test)
{
	static const u8 key[CPRNG_KEY_SIZE];
	u8 found[sizeof(zero_block)];

	cprng_cipher_expand(key, found, sizeof(found));
	KUNIT_EXPECT_EQ(test, memcmp(found, zero_block, sizeof(found)), 0);
}

static void vectors_give_what_portable_code_gives(struct kunit *test)
{
	static const u8 key[CPRNG_KEY_SIZE] = { 1 };
	u8 *portable = kunit_kzalloc(test, LONG, GFP_KERNEL), *vectors = kunit_kzalloc(test, LONG, GFP_KERNEL);
	unsigned long flags;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, portable);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vectors);
	local_irq_save(flags);
	cprng_cipher_expand(key, portable, LONG);
	local_irq_restore(flags);
	cprng_cipher_expand(key, vectors, LONG);
	KUNIT_EXPECT_EQ(test, memcmp(portable, vectors, LONG), 0);
}

/* Every byte of a request is written in one of several, and none beyond it. */
static void expect_whole_requests(struct kunit *test, void (*draw)(void *buf, size_t len))
{
	static const size_t sizes[] = { 0, 1, 3, 4, 8, 63, 64, 65, 96, 97, 255, 256, 257, 4095, 4096, LONG };
	u8 *found = kunit_kzalloc(test, LONG + 1, GFP_KERNEL), *seen = kunit_kzalloc(test, LONG, GFP_KERNEL);
	size_t i, j, times;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, found);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(seen, 0, LONG);
		/* A byte is 0 in all 16 requests with probability 2^-128. */
		for (times = 0; times < 16; times++) {
			memset(found, 0, LONG + 1);
			draw(found, sizes[i]);
			for (j = 0; j < sizes[i]; j++)
				seen[j] |= found[j];
			KUNIT_EXPECT_PTR_EQ(test, memchr_inv(found + sizes[i], 0, LONG + 1 - sizes[i]), NULL);
		}
		KUNIT_EXPECT_PTR_EQ(test, memchr(seen, 0, sizes[i]), NULL);
	}
}

static void fast_requests_are_whole(struct kunit *test)
{
	expect_whole_requests(test, cprng_fast);
}

static void strong_requests_are_whole(struct kunit *test)
{
	expect_whole_requests(test, cprng_strong);
}

static void words_come_once(struct kunit *test)
{
	enum { WORDS = 512 };
	u64 *word = kunit_kzalloc(test, WORDS * sizeof(u64), GFP_KERNEL);
	size_t i, j, equal = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, word);
	for (i = 0; i < WORDS; i++)
		word[i] = i % 2 == 0 ? cprng_fast64() : (u64)cprng_fast32() << 32 | cprng_fast32();
	for (i = 0; i < WORDS; i++)
		for (j = 0; j < i; j++)
			equal += word[i] == word[j];
	KUNIT_EXPECT_EQ(test, equal, 0);
}

/* Each value of a small range comes, and none outside any range. */
static void uniform_numbers_are_in_their_range(struct kunit *test)
{
	static const u32 bounds[] = { 0, 1, 2, 3, 10, 1000, 0x7fffffff, 0x80000001, 0xffffffff };
	u32 came = 0;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		for (j = 0; j < 200; j++)
			KUNIT_EXPECT_LT(test, cprng_uniform32(bounds[i]), max(bounds[i], 1U));
	}
	/* One of ten is missing with probability 2^-98. */
	for (j = 0; j < 700; j++)
		came |= 1U << cprng_uniform32(10);
	KUNIT_EXPECT_EQ(test, came, (1U << 10) - 1);
}

/* The next draw takes a delivered key, and drops the buffered bytes. */
static void a_new_key_is_taken_by_the_next_draw(struct kunit *test)
{
	struct cprng_test_level before, after;
	unsigned long flags;

	migrate_disable();
	cprng_test_renew(raw_smp_processor_id());
	local_irq_save(flags);
	cprng_test_look(raw_smp_processor_id(), 0, &before);
	(void)cprng_fast64();
	cprng_test_look(raw_smp_processor_id(), 0, &after);
	local_irq_restore(flags);
	migrate_enable();
	KUNIT_EXPECT_NE(test, before.pending_state, 0);
	KUNIT_EXPECT_EQ(test, after.pending_state, 0);
	KUNIT_EXPECT_EQ(test, after.reseeds, before.reseeds + 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cipher_gives_the_bytes_of_the_rfc),
	KUNIT_CASE(vectors_give_what_portable_code_gives),
	KUNIT_CASE(fast_requests_are_whole),
	KUNIT_CASE(strong_requests_are_whole),
	KUNIT_CASE(words_come_once),
	KUNIT_CASE(uniform_numbers_are_in_their_range),
	KUNIT_CASE(a_new_key_is_taken_by_the_next_draw),
	{},
};

static struct kunit_suite suite = { .name = "cprng", .test_cases = cases };
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit suite of cprng.ko");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS(CPRNG_NAMESPACE);
MODULE_IMPORT_NS(CPRNG_TEST_NAMESPACE);

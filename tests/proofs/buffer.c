/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proofs of src/core/buffer.h and core/claim.h by CBMC.  They are about the code itself, for every content of a buffer of 24
 * bytes and lengths up to LONGEST, which covers both ways of copying.  CBMC also proves that each access is inside its object.
 *
 * A signal handler may fork: in the child the page is wiped before one of the copies or erasures.  The operation must then stay
 * inside the page and leave it erased.  Its result is discarded (slots.pml), so the proofs specify it only without a fork.
 */
/* 24 bytes, without the alignment, so that a page can be this short. */
#define CPRNG_PORT_BUFFER 88

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool may_fork, forked;
static void fork_here(void);

static inline void *copy(void *to, const void *from, size_t len)
{
	fork_here();
	for (size_t i = 0; i < len; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	return to;
}

#define memcpy copy
/* Replaces the library's erasure, whose inline assembly CBMC cannot read. */
#define CPRNG_CORE_WIPE_H
static inline void cprng_wipe(void *at, size_t len)
{
	fork_here();
	for (size_t i = 0; i < len; i++)
		((uint8_t *)at)[i] = 0;
}

#define __attribute__(list)
#include "core/buffer.h"
#include "core/claim.h"

enum { SIZE = CPRNG_BUFFER_SIZE, KEY = 32, LONGEST = CPRNG_BUFFER_FEW + 1 };

static struct cprng_buffer b, before;
static uint8_t bytes[LONGEST];

size_t nondet_size(void);
bool nondet_bool(void);

static void fork_here(void)
{
	if (may_fork && !forked && nondet_bool()) {
		forked = true;
		b = (struct cprng_buffer){ 0 };
	}
}

/* A byte of the buffer, chosen once: its properties hold for all bytes. */
static size_t any_byte(size_t end)
{
	const size_t i = nondet_size();

	__CPROVER_assume(i < end);
	return i;
}

static void any_buffer(void)
{
	struct cprng_buffer any;

	b = any;
	__CPROVER_assume(b.left <= SIZE);
	before = b;
	may_fork = nondet_bool();
	forked = false;
}

void pop(void)
{
	const size_t len = nondet_size(), i = any_byte(SIZE);
	bool done;

	__CPROVER_assume(len > 0 && len <= LONGEST);
	any_buffer();
	done = cprng_buffer_pop(&b, bytes, len);
	__CPROVER_assert(b.left <= SIZE, "left stays inside the page");
	__CPROVER_assert(!done || i < before.left - len || i >= before.left || b.out[i] == 0,
			 "served bytes are erased");
	if (forked)
		return;
	__CPROVER_assert(done == (before.left >= len), "it serves if there is enough");
	__CPROVER_assert(b.left == before.left - (done ? len : 0), "left falls by what was served");
	__CPROVER_assert(!done || i >= len || bytes[i] == before.out[before.left - len + i], "from the top");
	__CPROVER_assert((done && i >= before.left - len && i < before.left) || b.out[i] == before.out[i],
			 "nothing else is changed");
	__CPROVER_assert(b.key_tag == before.key_tag && b.key[i % KEY] == before.key[i % KEY], "nor is the key");
}

void push(void)
{
	const size_t len = nondet_size(), i = any_byte(SIZE);
	bool fits;

	__CPROVER_assume(len > 0 && len <= LONGEST);
	any_buffer();
	/* Corrupted memory, for the redundant checks. */
	if (nondet_bool())
		before.left = b.left = (uint32_t)nondet_size();
	fits = before.left <= SIZE && len <= SIZE - before.left;
	cprng_buffer_push(&b, bytes, len);
	if (forked)
		return;
	__CPROVER_assert(b.left == before.left + (fits ? len : 0), "all or nothing");
	__CPROVER_assert(b.out[i] == (fits && i >= before.left && i < before.left + len ? bytes[i - before.left] :
											  before.out[i]),
			 "on top of what is there");
	__CPROVER_assert(b.key_tag == before.key_tag && b.key[i % KEY] == before.key[i % KEY],
			 "the key is not changed");
}

void keys(void)
{
	const size_t i = any_byte(KEY), j = any_byte(SIZE);
	const uint64_t next = nondet_size();
	uint8_t key[KEY], mine;
	uint64_t tag;

	__CPROVER_assume(next != 0);
	mine = key[i];
	any_buffer();
	tag = cprng_buffer_take_key(&b, key);
	__CPROVER_assert(b.key_tag == 0, "a key is taken once");
	__CPROVER_assert(tag == 0 || b.key[i] == 0, "and is erased");
	__CPROVER_assert(b.left <= before.left, "what is given up is not fresh again");
	if (!forked) {
		__CPROVER_assert(tag == before.key_tag, "its tag");
		__CPROVER_assert(key[i] == (tag != 0 ? before.key[i] : mine), "the whole key");
		__CPROVER_assert(b.left == (tag != 0 ? before.left & -(uint32_t)CPRNG_BUFFER_ALIGN : before.left),
				 "an aligned end");
		__CPROVER_assert(b.out[j] == before.out[j], "no byte is changed");
	}
	may_fork = false;
	before = b;
	if (nondet_bool())
		before.key_tag = b.key_tag = nondet_size();
	cprng_buffer_put_key(&b, key, next);
	__CPROVER_assert(b.key_tag == (before.key_tag == 0 ? next : before.key_tag), "a key that is there stays");
	__CPROVER_assert(b.key[i] == (before.key_tag == 0 ? key[i] : before.key[i]), "with its bytes");
	__CPROVER_assert(b.left == before.left && b.out[j] == before.out[j], "no byte is changed");
}

void claims(void)
{
	struct cprng_claim claim;
	const uint32_t one = (uint32_t)nondet_size() | 1, held = claim.taken;
	const bool got = cprng_claim_try(&claim, one);

	__CPROVER_assert(got == (held == 0), "a claim that is held is left alone");
	__CPROVER_assert(claim.taken == (got ? one : held), "and keeps its owner");
	__CPROVER_assert(!cprng_claim_try(&claim, (uint32_t)nondet_size() | 1), "two have not the same");
	__CPROVER_assert(!cprng_claim_replace(&claim, claim.taken + 1, 0) && claim.taken != 0,
			 "only the named owner's is freed");
	cprng_claim_release(&claim);
	__CPROVER_assert(claim.taken == 0, "it is free");
}

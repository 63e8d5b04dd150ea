/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The buffer: a stack of fresh random bytes in one page, and the key that will make the next ones.
 *
 * Fast key erasure (Bernstein, 2017): draws pop bytes from the top and erase them.  A refill takes the key, which removes
 * it, expands it in other memory, puts the next key back and pushes fresh bytes on top.  Each of these operations is
 * short and complete in itself; the buffer is never held during encryption.  A refill that is interrupted and abandoned
 * (longjmp out of a signal handler) loses a key that no other refill has seen; the next refill finds no key and asks the
 * kernel.  So no caller ever waits for another, and no state needs repair.
 *
 * The functions here need mutual exclusion from their caller (a claimed slot, interrupts off).  They read `left` once:
 * a fork by a signal handler may wipe the page in the middle of an operation, which then stays inside the page.
 * src/process/placement/percpu_*.h does the same steps, in the same order, as restartable sequences.
 */
#ifndef CPRNG_CORE_BUFFER_H
#define CPRNG_CORE_BUFFER_H

#include "core/bytes.h"
#include "core/port.h"
#include "core/wipe.h"

/* A kernel whose refills push less may have smaller buffers: its port header sets the size. */
#ifndef CPRNG_PORT_BUFFER
#define CPRNG_PORT_BUFFER 4096
#endif

enum {
	CPRNG_BUFFER_PAGE = CPRNG_PORT_BUFFER,
	CPRNG_BUFFER_HEAD = 64,
	/*
	 * One page for each CPU, of which one cache line is the head: the memory bound of the library, and a stride that
	 * the inlined draw forms by a shift.
	 */
	CPRNG_BUFFER_SIZE = CPRNG_BUFFER_PAGE - CPRNG_BUFFER_HEAD,
	/* The largest of the numbers that a program draws one by one. */
	CPRNG_BUFFER_ALIGN = 8,
	/* Bytes that are copied without vectors. */
	CPRNG_BUFFER_FEW = 16,
};

struct cprng_buffer {
	uint32_t left;    /* bytes of out[] that are fresh: out[0] to out[left - 1]; part of the ABI */
	uint32_t period;  /* of the last keystream position with a word of RDRAND or RNDR (process/draw.c) */
	uint64_t key_tag; /* 0: no key.  Else the age of the key, for refills (process/draw.c) */
	uint64_t made_in; /* slots only: the process's generation when the content was made */
	uint64_t reserved;
	uint8_t key[CPRNG_BUFFER_HEAD - 32];
	uint8_t out[CPRNG_BUFFER_SIZE]; /* at byte 64; part of the ABI */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct cprng_buffer) == CPRNG_BUFFER_PAGE, "a buffer has the size that it should have");
_Static_assert(offsetof(struct cprng_buffer, left) == 0, "inlined into programs");
_Static_assert(offsetof(struct cprng_buffer, out) == 64, "inlined into programs");

/* Pop len bytes into dst; false, and nothing done, when there are fewer. */
CPRNG_INLINE bool cprng_buffer_pop(struct cprng_buffer *b, void *dst, size_t len)
{
	uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);

	if (left < len)
		return false;
	left -= (uint32_t)len;
	/* Copy by general registers, or by registers that memcpy() chooses: the caller clears them. */
	if (len < CPRNG_BUFFER_FEW)
		cprng_copy_few((uint8_t *)dst, b->out + left, len);
	else
		memcpy(dst, b->out + left, len);
	__atomic_store_n(&b->left, left, __ATOMIC_RELAXED);
	cprng_wipe(b->out + left, len);
	return true;
}

/* Push len bytes, or none when there is no room for all. */
CPRNG_INLINE void cprng_buffer_push(struct cprng_buffer *b, const void *src, size_t len)
{
	uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);

	if (left > CPRNG_BUFFER_SIZE || len > CPRNG_BUFFER_SIZE - left)
		return;
	memcpy(b->out + left, src, len);
	__atomic_store_n(&b->left, left + (uint32_t)len, __ATOMIC_RELAXED);
}

/*
 * Move the key to key[32] and return its tag, or 0 if there is none.  A refill follows: the bytes above the last aligned one are
 * discarded, and the refill pushes from there on.  Otherwise a draw of one byte would leave all later draws of 32 bits at odd
 * addresses, refill after refill, where they take a fifth more time (decision 0032).
 */
CPRNG_INLINE uint64_t cprng_buffer_take_key(struct cprng_buffer *b, uint8_t *key)
{
	uint64_t tag = b->key_tag;

	if (tag != 0) {
		uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);

		__atomic_store_n(&b->left, left & -(uint32_t)CPRNG_BUFFER_ALIGN, __ATOMIC_RELAXED);
		memcpy(key, b->key, sizeof(b->key));
		b->key_tag = 0;
		cprng_wipe(b->key, sizeof(b->key));
	}
	return tag;
}

/* Store a key if the buffer has none; tag is not 0. */
CPRNG_INLINE void cprng_buffer_put_key(struct cprng_buffer *b, const uint8_t *key, uint64_t tag)
{
	if (b->key_tag == 0) {
		memcpy(b->key, key, sizeof(b->key));
		b->key_tag = tag;
	}
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invariants of the state, checked on slow paths where CPRNG_CHECK is defined; a broken one ends the process with a line that
 * names it.  Tests of any program then test the library as well (docs/testing.md).
 */
#ifndef CPRNG_PROCESS_CHECK_H
#define CPRNG_PROCESS_CHECK_H

#include "process/state.h"

#ifdef CPRNG_CHECK
#define CPRNG_CHECK_THAT(condition, invariant) ((condition) ? (void)0 : cprng_os_die("broken invariant: " invariant, 0))
#else
#define CPRNG_CHECK_THAT(condition, invariant) ((void)0)
#endif

/*
 * Check a buffer that the caller has exclusive use of.  A refill discards the bytes above the last aligned one (core/buffer.h), and
 * they may remain after it: bytes that were not served, and never will be.  The last byte of a word is not among them.
 */
CPRNG_INLINE void cprng_check_buffer(const struct cprng_buffer *b)
{
#ifdef CPRNG_CHECK
	/* Read first: a handler's fork may wipe the page between two reads, which clears the others as well. */
	const uint64_t tag = __atomic_load_n(&b->key_tag, __ATOMIC_RELAXED);
	const size_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);
	uint8_t served = 0, key = 0;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	CPRNG_CHECK_THAT(left <= CPRNG_BUFFER_SIZE, "a buffer has at most its size");
	for (size_t i = left | (CPRNG_BUFFER_ALIGN - 1); i < CPRNG_BUFFER_SIZE; i += CPRNG_BUFFER_ALIGN)
		served |= b->out[i];
	CPRNG_CHECK_THAT(served == 0, "a buffer has erased what it served");
	for (size_t i = 0; i < sizeof(b->key); i++)
		key |= b->key[i];
	CPRNG_CHECK_THAT(key == 0 || tag != 0, "a buffer has erased the key that a refill took");
#else
	(void)b;
#endif
}

/* Check a process whose draws are buffered, in the generation that a draw has read or begun. */
CPRNG_INLINE void cprng_check_process(const struct cprng_process *p, uint64_t generation)
{
#ifdef CPRNG_CHECK
	const uint32_t cpus = __atomic_load_n(&p->draw.cpus, __ATOMIC_RELAXED);

	CPRNG_CHECK_THAT(cprng_is_generation(generation), "a generation is odd");
	CPRNG_CHECK_THAT(cpus == 0 || cpus == p->buffer_count, "inlined draws see all buffers or none");
	CPRNG_CHECK_THAT(p->buffer_count <= CPRNG_BUFFERS_MAX, "buffers are bounded");
#else
	(void)p;
	(void)generation;
#endif
}

#endif

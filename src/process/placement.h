/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A placement decides where the buffers are, and excludes concurrent use of a buffer.  Its operations are those of core/buffer.h
 * on a buffer that the placement selects; each is done completely or not at all.  An operation may fail; its caller then uses
 * fresh bytes of the operating system.
 *
 * No operation waits.  None makes a system call, except that the first use of a buffer locks its memory.  All are callable in a
 * signal handler that interrupted any other.
 */
#ifndef CPRNG_PROCESS_PLACEMENT_H
#define CPRNG_PROCESS_PLACEMENT_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

struct cprng_process;

enum { CPRNG_PUSH_MIN = 64, CPRNG_KEY_SIZE = 32 };

struct cprng_placement {
	const char *name;

	/*
	 * Pop len > 0 bytes into dst.  Some placements erase up to 7 more bytes with them.  A pop that fails may leave bytes in
	 * dst, which the caller overwrites.  A placement with cprng_has_direct_pop() also has a form without this call.
	 */
	bool (*pop)(struct cprng_process *p, uint8_t *dst, size_t len);

	/* Remove the key and return its tag; 0 if there is none. */
	uint64_t (*take_key)(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

	/*
	 * Both do nothing if the generation has changed.  push also does nothing if the len bytes (at least CPRNG_PUSH_MIN) do
	 * not fit.
	 */
	void (*put_key)(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE], uint64_t tag);
	void (*push)(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len);

	/* Erase every buffer.  The caller holds the lock of the fork state and has begun the new generation. */
	void (*erase)(struct cprng_process *p);

	/* Return the number of the buffer that the caller would use now: a hint that chooses a state of the vDSO's generator. */
	uint32_t (*index)(struct cprng_process *p);

	/*
	 * True: buffers are used only by restartable sequences, inlined ones included, and only while draw.cpus is not 0.  False:
	 * threads claim buffers, which is sound in any shared memory, a vfork(2) child's included.
	 */
	bool restartable;
};

/* One buffer for each CPU, used by restartable sequences; chosen where cprng_os_restartable_sequences() is true. */
extern const struct cprng_placement cprng_placement_percpu;

/*
 * Return true if cprng_percpu_pop_few() (percpu_few.h) does the same as pop() of this placement.  By the table's address, because a
 * member would be another load in each draw.
 */
CPRNG_INLINE bool cprng_has_direct_pop(const struct cprng_placement *placement)
{
	return placement == &cprng_placement_percpu;
}

/* A fixed number of buffers, which threads claim by an atomic exchange. */
extern const struct cprng_placement cprng_placement_slots;

/* No buffers. */
extern const struct cprng_placement cprng_placement_unbuffered;

CPRNG_END_DECLARATIONS

#endif

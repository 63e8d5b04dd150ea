/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A placement is where the buffers are and what keeps two users of one buffer apart.  Its operations are those of
 * core/buffer.h on a buffer of the placement's choice, each of them whole or not at all.  An operation may refuse; its
 * caller then has another way (fresh bytes of the operating system).
 *
 * No operation waits, and none makes a system call but the locking of a buffer's memory at its first use.  All are
 * callable in a signal handler that interrupted any other.
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
	 * Pop len bytes, not 0, into dst.  Some placements erase up to 7 more bytes with them.  A pop that refuses may leave
	 * bytes in dst, which the caller overwrites.
	 */
	bool (*pop)(struct cprng_process *p, uint8_t *dst, size_t len);

	/* Take the key away and return its tag; 0 when there is none. */
	uint64_t (*take_key)(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

	/*
	 * Both do nothing if the generation has changed.  push also does nothing if the len bytes (at least CPRNG_PUSH_MIN) do
	 * not fit.
	 */
	void (*put_key)(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE], uint64_t tag);
	void (*push)(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len);

	/* Erase every buffer; the caller holds the lock of the fork state and has started the new generation. */
	void (*erase)(struct cprng_process *p);

	/* The number of the buffer that the caller would use now: a hint that chooses a state of the user entropy. */
	uint32_t (*index)(struct cprng_process *p);

	/*
	 * Restartable: buffers are used by restartable sequences, also inlined ones, and only while draw.cpus is not 0.  Else
	 * threads claim them, which is sound in any memory that is shared, a vfork(2) child's included.
	 */
	bool restartable;
};

/* One buffer for each CPU, used by restartable sequences; chosen where cprng_os_restartable_sequences() is true. */
extern const struct cprng_placement cprng_placement_percpu;

/* Some buffers that threads claim by an atomic exchange. */
extern const struct cprng_placement cprng_placement_slots;

/* No buffer at all. */
extern const struct cprng_placement cprng_placement_unbuffered;

CPRNG_END_DECLARATIONS

#endif

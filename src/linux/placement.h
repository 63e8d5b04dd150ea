/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A placement is where the buffers are and what keeps two users of one apart.  The operations are those of
 * core/buffer.h on a buffer of the placement's choice, each of them whole or not at all; and they may refuse, for which
 * the caller always has another way (fresh bytes from the kernel).
 *
 * None waits, and none makes a system call but mlock2(2) for a buffer that is used the first time; all are callable in a signal handler that interrupted any other.
 */
#ifndef CPRNG_LINUX_PLACEMENT_H
#define CPRNG_LINUX_PLACEMENT_H

#include "linux/process.h"

/* No placement asks for more than CPRNG_POP_MIN bytes at the least. */
enum { CPRNG_POP_MIN = 16, CPRNG_PUSH_MIN = 16, CPRNG_KEY_SIZE = 32 };

struct cprng_placement {
	const char *name;

	size_t pop_min;

	/* len >= pop_min bytes into dst; what an abandoned try wrote to dst the next one overwrites. */
	bool (*pop)(struct cprng_process *p, uint8_t *dst, size_t len);

	/* The key and its tag; 0 when there is none. */
	uint64_t (*take_key)(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

	/* Both do nothing unless the process is still in this generation; push also unless all of len >= 16 fits. */
	void (*put_key)(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE], uint64_t tag);
	void (*push)(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len);

	/* Erase every buffer; the caller holds the process lock and has started the new generation. */
	void (*erase)(struct cprng_process *p);

	/* The number of the buffer that the caller would use now, as a hint (memory lock, vDSO state). */
	uint32_t (*index)(struct cprng_process *p);
};

/* One buffer for each CPU, used by restartable sequences: src/linux/percpu.c. */
extern const struct cprng_placement cprng_placement_percpu;
/* True, and *offset set, where the C library has registered restartable sequences and the kernel can interrupt them. */
bool cprng_percpu_available(ptrdiff_t *offset);

/* Some buffers that threads claim by an atomic exchange: src/linux/slots.c. */
extern const struct cprng_placement cprng_placement_slots;

/* No buffer at all: src/linux/unbuffered.c. */
extern const struct cprng_placement cprng_placement_unbuffered;

#endif

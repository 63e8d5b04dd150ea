/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory shared by the drawing program and the test outside: a device's memory (ivshmem) in a virtual machine,
 * otherwise a file.  tests/vm/drawing.py reads it.
 */
#ifndef CPRNG_TESTS_VM_SHARED_H
#define CPRNG_TESTS_VM_SHARED_H

#include <stddef.h>
#include <stdint.h>

enum {
	SHARED_THREADS_MAX = 4,
	SHARED_HEAD = 4096,
	/* The number of each thread's last records that are kept, usually more than it makes before a kernel notices. */
	SHARED_RECORDS = 1 << 18,
};

struct shared_head {
	uint32_t threads;
	uint32_t command; /* set by the test: enum shared_command */
	uint32_t awaited; /* set by the test: enum shared_event; `limit` counts from the last of them */
	uint32_t reserved;
	uint64_t limit;       /* set by the test: records that each thread makes before it ends; 0: no limit */
	uint64_t noticed;     /* time stamp: the kernel has reported that it is a clone */
	uint64_t invalidated; /* time stamp: cprng_invalidate() has returned */
	uint64_t stamps[2];   /* two time stamps, and the clock's nanoseconds at each */
	uint64_t nanoseconds[2];
	uint64_t mark[SHARED_THREADS_MAX];  /* set by the test: `count` when the state was saved */
	uint64_t count[SHARED_THREADS_MAX]; /* number of records made */
};

enum shared_command { SHARED_GO_ON, SHARED_INVALIDATE, SHARED_INVALIDATE_WHEN_NOTICED };
enum shared_event { SHARED_NOTICED = 1, SHARED_INVALIDATED = 2 };

struct shared_record {
	uint8_t bytes[16];
	uint64_t stamp; /* time before the draw began */
	uint64_t index;
};

_Static_assert(sizeof(struct shared_head) <= SHARED_HEAD, "one page");
_Static_assert(sizeof(struct shared_record) == 32, "drawing.py reads this layout");

struct shared {
	union {
		struct shared_head head;
		uint8_t page[SHARED_HEAD];
	};
	struct shared_record records[SHARED_THREADS_MAX][SHARED_RECORDS];
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generation file: a page that the machine's operator names, and changes with `cprng invalidate` or another program whenever
 * the machine or its processes were cloned.  Its first 16 bytes are the mark below and a generation: a 64-bit number in the
 * machine's byte order.  Every change of the number announces a clone.  The writer takes a random number, so that an image of
 * another machine, or of this one before a reboot, finds a number that differs from the one it has seen.
 *
 * A load from a mapped file may wait for its file system, and kills the process with SIGBUS if the file was truncated to nothing.
 * So a file must meet the conditions of programs and shared libraries: it is in a file system of this machine, and only root and
 * the process's own user, which could kill the process anyway, can change it.
 */
#ifndef CPRNG_OS_LINUX_GENERATION_FILE_H
#define CPRNG_OS_LINUX_GENERATION_FILE_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	CPRNG_FILE_SIZE_MIN = 4096,
	CPRNG_FILE_GENERATION_AT = 8,
	/* Room for a name.  A longer one is truncated, and a name that fills the room is refused. */
	CPRNG_FILE_NAME_MAX = 512,
};

/* The file's first bytes, without the string's terminator. */
#define CPRNG_FILE_MARK "cprnggen"

/*
 * Return true for kinds of file systems whose files belong to this machine.  In others a load may wait for a server or a process
 * (network file systems, FUSE), or show stale content (overlayfs, after it has copied up a file of a lower layer).  The numbers
 * are those of <linux/magic.h>.
 */
CPRNG_INLINE bool cprng_generation_file_is_local(uint32_t file_system)
{
	switch (file_system) {
	case 0x01021994: /* tmpfs */
	case 0x858458f6: /* ramfs */
	case 0x0000ef53: /* ext2 to ext4 */
	case 0x58465342: /* XFS */
	case 0x9123683e: /* Btrfs */
		return true;
	default:
		return false;
	}
}

/*
 * Map the file of this name, and return its address or NULL.  *state becomes a static string: "mapped", "none" (the name is
 * empty), "absent", or "refused: " and the reason.
 */
const void *cprng_generation_file_map(const char *name, const char **state);

/* Return the generation of a mapped file.  It may change at any time, so it is loaded once, as a whole. */
CPRNG_INLINE uint64_t cprng_generation_file_count(const void *page)
{
	return __atomic_load_n((const cprng_atomic64 *)(const void *)((const uint8_t *)page + CPRNG_FILE_GENERATION_AT),
			       __ATOMIC_RELAXED);
}

CPRNG_END_DECLARATIONS
#endif

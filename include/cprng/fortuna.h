/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna as an object, for a program that needs a generator with its own sources, schedule and clock.  A program that
 * only needs strong random numbers calls cprng_strong().
 *
 * Source: Ferguson, Schneier and Kohno, "Cryptography Engineering", chapter 9; the concurrent reads come from FreeBSD's
 * implementation.
 *
 *   events -> harvest queue -> 32 pools -> key and counter -> readers
 *
 * Any number of threads may use an object at once.  With the locks of the library all functions but cprng_fortuna_new()
 * and cprng_fortuna_free() are async-signal-safe; errno is preserved.
 *
 * After a fork the object is unseeded in the child: pools, queue, key and statistics are empty, options are kept.  The
 * child must add events or a seed before it reads.
 *
 * cprng_invalidate() and cprng_reseed() leave every object of the process unseeded in the same way, because a copy of
 * the process may have the same key and pools.  So does a read that finds the machine cloned (/dev/vmclock0,
 * /dev/sysgenid, or the generation file of cprng(7)).  On FreeBSD and Windows objects keep their seeds: these systems only
 * report that the kernel was reseeded, and a clone is only one of the reasons.
 *
 * Two copies restored from one snapshot or checkpoint hold equal objects, which give equal bytes until the copies
 * invalidate, or until their events differ and cause a reseed.  A restored process must call cprng_invalidate() before it
 * forks; otherwise its children may inherit its objects, because CRIU loses the advice to wipe pages in a child
 * (docs/snapshots.md).
 */
#ifndef CPRNG_FORTUNA_H
#define CPRNG_FORTUNA_H

#include <cprng/cprng.h>

#ifdef __cplusplus
extern "C" {
#endif

CPRNG_PRAGMA(GCC visibility push(CPRNG_VISIBILITY)) /* as in cprng.h */

/* Opaque; in pages that are wiped in a forked child, left out of core files, and locked where permitted. */
typedef struct cprng_fortuna cprng_fortuna;

/* The most bytes of an event. */
#define CPRNG_FORTUNA_EVENT_MAX 32
/* Sources of an object: 0 to 255. */
#define CPRNG_FORTUNA_SOURCES 256

/*
 * Locks and clock that replace the library's (a futex taken with signals blocked, CLOCK_MONOTONIC).  The caller supplies
 * all four functions, or none.  There are two locks, `which` 0 and 1; 1 may be taken while 0 is held.  Locks are held
 * for some microseconds.  `token` is zero at the call of lock; lock may store a value there for unlock, such as a signal
 * mask.  If a signal handler may use the object or fork, the locks must block signals.  The caller must handle a fork while
 * another thread holds a lock.
 */
struct cprng_fortuna_hooks {
	void (*lock)(void *arg, int which, uint64_t token[2]);
	/* Returns 0 if the lock is held; the library does not wait. */
	int (*try_lock)(void *arg, int which, uint64_t token[2]);
	void (*unlock)(void *arg, int which, const uint64_t token[2]);
	/* Nanoseconds of a monotonic clock, from any start. */
	uint64_t (*now)(void *arg);
	void *arg;
};

/* All zero selects the defaults.  Later versions append fields; zero there selects the behaviour of this version. */
struct cprng_fortuna_options {
	const char *engine; /* "aes256-ctr", "chacha20"; NULL: AES where the CPU has it in hardware, else ChaCha20 */
	uint32_t pool_min;  /* bytes of input of full entropy that pool 0 needs before a reseed, 16 to 65536; 0: 64 */
	int locked_reads;   /* not 0: generate under the lock from the start (cprng_fortuna_set_locked_reads) */
	const struct cprng_fortuna_hooks *hooks; /* copied; NULL: the library's; the structure never gets new fields */
};

/*
 * Make an object; options NULL means all zero.  size is sizeof(*options): fields beyond it are taken as zero, and a
 * nonzero field that this library does not know is refused.  (size is a parameter, not a field, so that an all-zero
 * structure is valid and the compiler reports calls without it; all functions with structures take it.)
 *
 * Returns 0 and sets *f, or sets *f to NULL and returns CPRNG_ERR_ARGUMENT (f is NULL, pool_min out of range, some
 * hooks but not all, an unknown option), CPRNG_ERR_ENGINE, CPRNG_ERR_SELFTEST, CPRNG_ERR_MEMORY (also
 * where the process had no memory for its own buffers), or CPRNG_ERR_UNSUPPORTED where pages cannot be wiped on a fork
 * (Linux before 4.14).
 *
 *     cprng_fortuna *f;
 *     if (cprng_fortuna_new(&f, NULL, 0) != 0)
 *             return -1;
 */
int cprng_fortuna_new(cprng_fortuna **f, const struct cprng_fortuna_options *options, size_t size) CPRNG_WARN_UNUSED;

/* Erase and free the object.  No thread may use it during the call or later.  NULL does nothing. */
void cprng_fortuna_free(cprng_fortuna *f);

/*
 * Add an event of len bytes, at most CPRNG_FORTUNA_EVENT_MAX, from source 0 to 255; the events of each source are
 * distributed among the pools in turn.  `entropy_bits` is the number of bits credited towards the next reseed, at most
 * 8 * len; 0 for an event that is worth mixing but should not be relied on.  Never waits, in any context.  len 0 does
 * nothing.  Returns 0, CPRNG_ERR_ARGUMENT (f or buf is NULL, entropy_bits above 8 * len), CPRNG_ERR_SOURCE,
 * CPRNG_ERR_SIZE, or CPRNG_ERR_FULL (the queue of 256 events is full; the event was dropped and counted).
 */
int cprng_fortuna_add(cprng_fortuna *f, unsigned int source, const void *buf, size_t len, unsigned int entropy_bits);

/*
 * Move events from the queue into the pools, and reseed if pool 0 has enough entropy and the last reseed was at least
 * 100 ms ago.  Reads do this too.  Returns the number of events moved; returns 0 at once if another thread is draining, or
 * if f is NULL.
 */
size_t cprng_fortuna_drain(cprng_fortuna *f);

/*
 * Mix len >= 32 bytes into the key at once, bypassing the pools: a seed file, or bytes from another generator.  The object
 * is seeded afterwards.  Returns 0, CPRNG_ERR_ARGUMENT or CPRNG_ERR_SIZE.
 */
int cprng_fortuna_seed(cprng_fortuna *f, const void *buf, size_t len) CPRNG_WARN_UNUSED;

/*
 * Fill buf with len bytes.  Replaces the key after each piece (1 MiB with AES; a page with locked reads) and after every
 * read, so that the object does not reveal earlier reads (backtracking resistance).  len 0 returns 0.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT (f or buf is NULL), or CPRNG_ERR_UNSEEDED: the object has not been reseeded yet, or not
 * since a fork or an invalidation, which may also happen during the read.  After CPRNG_ERR_UNSEEDED buf contains no output.
 *
 * While bytes are generated, the stack holds a key that determines all reads until the next reseed.  The read erases it.
 * But if a signal handler forks during the read, the child has the key until it returns to the read; and if a handler
 * jumps out of the read, the key stays on the stack.  A program with such handlers must block signals during a read, as
 * cprng_strong() does.
 */
int cprng_fortuna_read(cprng_fortuna *f, void *buf, size_t len) CPRNG_WARN_UNUSED;

/*
 * on != 0: readers generate under the lock, as in the book, and release it after each page of 4 KiB.  0 (the default):
 * readers copy key and counter under the lock and generate outside it.  For reads of one thread of up to a page, both give
 * the same bytes; a longer locked read gives the bytes of consecutive reads of a page each.  May be called while other
 * threads read.  f NULL does nothing.
 */
void cprng_fortuna_set_locked_reads(cprng_fortuna *f, int on);

struct cprng_fortuna_info {
	const char *engine;
	const char *backend;
	int locked_reads;
	int seeded;
	uint32_t pool_min; /* bytes */
	uint32_t reserved; /* 0 */
	uint64_t reseeds;  /* from the pools */
	uint64_t events;   /* distributed among the pools */
	uint64_t dropped;  /* because the queue was full */
};

/* Fill *info; size is sizeof(*info), as for cprng_get_info().  Returns 0, or CPRNG_ERR_ARGUMENT (f or info is NULL). */
int cprng_fortuna_get_info(cprng_fortuna *f, struct cprng_fortuna_info *info, size_t size) CPRNG_WARN_UNUSED;

#pragma GCC visibility pop

#ifdef CPRNG_MSAN /* as in msan.h */
CPRNG_UNPOISON_IF(f != NULL, cprng_fortuna_new,
		  (cprng_fortuna * *f, const struct cprng_fortuna_options *options, size_t size), (f, options, size), f,
		  sizeof(*f))
#define cprng_fortuna_new cprng_fortuna_new_unpoisoned
CPRNG_UNPOISON(cprng_fortuna_read, (cprng_fortuna * f, void *buf, size_t len), (f, buf, len), buf, len)
#define cprng_fortuna_read cprng_fortuna_read_unpoisoned
CPRNG_UNPOISON(cprng_fortuna_get_info, (cprng_fortuna * f, struct cprng_fortuna_info *info, size_t size),
	       (f, info, size), info, size)
#define cprng_fortuna_get_info cprng_fortuna_get_info_unpoisoned
#endif

#ifdef __cplusplus
}
#endif
#endif

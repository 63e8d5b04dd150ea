/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between the library and the operating system.  src/os/<system>/ implements it, one implementation is built
 * (cmake -DCPRNG_OS=...), and src/process/ uses the system only through it.
 *
 * Unless its own text says otherwise, for every function:
 *
 *   - it may be called by any thread and in any signal handler, is not a cancellation point, and leaves errno unchanged;
 *   - a result of type long is 0 or more for success and a negative error number (-EACCES) for failure;
 *   - a function that a system cannot implement reports that as its text says.  The library then draws more slowly, and
 *     still keeps its promises.
 */
#ifndef CPRNG_OS_OS_H
#define CPRNG_OS_OS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/* ------------------------------------------------------------------------------------------------------ memory */

/* Return the size of a page in bytes: a power of two, at least 4096. */
size_t cprng_os_page_size(void);

/* Map len bytes of private zeroed memory, beginning at a page; NULL if there is no memory. */
void *cprng_os_map(size_t len);

/* Unmap a whole mapping of cprng_os_map(). */
void cprng_os_unmap(void *p, size_t len);

/*
 * Make the system zero the range in a forked child, however the child is created, and leave it out of core dumps if possible.  On
 * macOS a child that was created without the C library lacks the range, and faults there.  p is the beginning of a page.  False
 * if the system does neither: then the range must not hold anything that must not be copied.  A second call on the same range
 * restores the setting after a checkpoint has lost it.
 */
bool cprng_os_wipe_on_fork(void *p, size_t len) CPRNG_MUST_CHECK;

/* Back the range by the smallest pages: a huge page would hold the buffers of 512 CPUs, when perhaps two of them draw. */
void cprng_os_use_small_pages(void *p, size_t len);

/*
 * Keep the range's pages out of swap; false if a limit or a sandbox refuses.  Locked pages count against the application's
 * limit: lock only pages that are used.
 */
bool cprng_os_lock_memory(void *p, size_t len);

/* ----------------------------------------------------------------------------------------- processes and threads */

/* Return the process number, from the system and not from a cache: it differs in a forked child. */
long cprng_os_process_id(void);

/*
 * Return a number that no other live thread of the address space has: not 0, and bit 0 is clear.  It is constant for the life of a
 * thread, and the same in the thread that continues in a forked child.  Makes no system call.
 */
uintptr_t cprng_os_this_thread(void);

/*
 * Return true if the calling thread is the first of its process; in a forked child that is the thread that forked.  False if
 * the system does not report it.
 */
bool cprng_os_is_first_thread(void);

/*
 * Exit words: the system stores 0 to a thread's word when the thread ends or leaves its memory by execve(2).  The first function
 * gets the calling thread's word (NULL: it has none), the second sets it.  Negative if the system has no exit words.
 */
long cprng_os_get_exit_word(uint32_t **word);
long cprng_os_set_exit_word(uint32_t *word);

/* Return a number above every CPU number that can occur in this process, hot-plugged CPUs included; 0 if unknown. */
uint32_t cprng_os_cpu_limit(void);

/* -------------------------------------------------------------------------------------------------------- signals */

/* A set of blocked signals: 128 of them on MIPS. */
struct cprng_os_signals {
	uint64_t word[2];
};

/*
 * Block signals and save the old set to *saved; restore that set.  The calls nest.  If the system refuses to block signals, the
 * restoration changes nothing.  In between, the thread cannot be cancelled either, not even asynchronously: it may hold a lock.
 *
 * Signals that the thread's own instructions raise stay unblocked: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS.
 * A system kills a process that raises one of them while it is blocked, although the program may have a handler that
 * maps the page (garbage collectors, lazy commit), emulates the call (seccomp) or steps through the code.
 */
void cprng_os_block_signals(struct cprng_os_signals *saved);
void cprng_os_restore_signals(const struct cprng_os_signals *saved);

/* -------------------------------------------------------------------------------------------------------- waiting */

/*
 * Sleep while *word has this value; wake one thread that sleeps on *word.  A wait may end early at any time, so the caller
 * checks again.  The word must be private to this process.
 */
void cprng_os_wait(uint32_t *word, uint32_t value);
void cprng_os_wake(uint32_t *word);

/* Sleep for less than a second; a signal handler cuts the sleep short. */
long cprng_os_sleep(uint32_t nanoseconds);

/* --------------------------------------------------------------------------------------------------------- clocks */

/* Return the nanoseconds of a monotonic clock with any epoch; 0 if there is none. */
uint64_t cprng_os_nanoseconds(void);

/* The same in seconds, by the cheapest means: every refill calls it. */
uint32_t cprng_os_seconds(void);

/*
 * Store the milliseconds since 1970 of the clock that shows the date, 0 before that, and return 0; a negative error number if it
 * cannot be read.
 */
long cprng_os_unix_milliseconds(uint64_t *milliseconds) CPRNG_MUST_CHECK;

/* -------------------------------------------------------------------------------------------------------- entropy */

/*
 * Fill buf with len bytes of the system's generator by system calls: bytes that this process's memory does not determine.
 * Blocks until that generator is seeded.  Returns 0, or a negative error number with nothing usable in buf.
 */
long cprng_os_entropy(void *buf, size_t len) CPRNG_MUST_CHECK;

/*
 * The system's generator in the vDSO: it runs in this process's own memory, without a system call.  Its bytes are unique, but an
 * attacker that has read the memory knows them.  It has `states` states, numbered from 0, each for one user at a time; the system
 * zeroes them in a forked child.
 */
struct cprng_os_vdso {
	long (*generate)(void *buf, size_t len, unsigned int flags, void *state, size_t state_size);
	uint8_t *memory;
	size_t mapped, page;
	uint32_t states; /* 0: the system has no such generator */
	uint32_t state_size;
	uint32_t states_per_page;
};

/* Set up `states` states; e->states is 0 afterwards if the system has no such generator.  Not concurrently on one object. */
void cprng_os_vdso_open(struct cprng_os_vdso *e, uint32_t states);
void cprng_os_vdso_close(struct cprng_os_vdso *e);

/* Fill buf with len <= 256 bytes from state number `state`; false if the generator refuses. */
bool cprng_os_vdso_read(const struct cprng_os_vdso *e, uint32_t state, void *buf, size_t len) CPRNG_MUST_CHECK;

/* Zero a state; its next read sets it up again. */
void cprng_os_vdso_wipe(const struct cprng_os_vdso *e, uint32_t state);

/* The names of the call behind cprng_os_entropy() and of the vDSO's generator, for cprng_get_info(). */
extern const char cprng_os_entropy_name[], cprng_os_vdso_name[];

/* The mechanism that keeps a forked child from repeating buffered bytes, for cprng_get_info(). */
extern const char cprng_os_fork_guard[];

/* The fatal error message of a process without entropy, for cprng_os_die(). */
extern const char cprng_os_no_entropy[];

/* ------------------------------------------------------------------------------------------ restartable sequences */

/*
 * Return true and set *offset if the calling thread is registered for Linux's restartable sequences and
 * cprng_os_abort_sequences() works; false otherwise.  *offset is the distance of a thread's rseq area from its thread pointer, if
 * the C library registers every thread; or CPRNG_OS_OWN_AREAS: then each thread joins by itself.
 */
bool cprng_os_restartable_sequences(ptrdiff_t *offset) CPRNG_MUST_CHECK;

/* Never a distance: an area is aligned to 32 bytes.  src/os/own_area.h declares the part of a thread's own area that draws read. */
#define CPRNG_OS_OWN_AREAS ((ptrdiff_t)1)

/*
 * Where each thread joins by itself: register the calling thread until it ends.  False if it is not registered: another library
 * has registered it, a sandbox refuses, the thread is ending, or it shares another thread's memory (vfork).
 *
 * A sequence may begin only after this has returned true.  A handler that registered the thread in the middle of a sequence,
 * between the store of the descriptor and the load of the CPU, would return to a sequence that the kernel does not restart.
 */
bool cprng_os_join_sequences(void) CPRNG_MUST_CHECK;

/* Return the calling thread's rseq area; NULL if this system has none. */
const void *cprng_os_sequence_area(ptrdiff_t offset);

/* Return the CPU of the calling thread, from its rseq area. */
uint32_t cprng_os_sequence_cpu(ptrdiff_t offset);

/*
 * Abort every running sequence of the other threads of this process.  When the call returns 0, each has committed or is aborted:
 * the threads' next sequences see what the caller has stored before the call.
 */
long cprng_os_abort_sequences(void) CPRNG_MUST_CHECK;

/* ------------------------------------------------------------------------------------------------- announced clones */

/*
 * Announcements of clones: mapped pages to which the hypervisor, the kernel or the machine's operator writes after the machine or
 * its processes were cloned.  NULL if there are none.  The system looks for them once, when the library is loaded (files are opened
 * then anyway, and the program is not yet in a sandbox), or at an earlier call by another constructor.
 */
struct cprng_os_announcements;
const struct cprng_os_announcements *cprng_os_find_announcements(void);

/*
 * True if the pages also change at every reseed of the kernel's generator.  Such a change renews buffers and keys, and leaves the
 * program's Fortuna objects seeded: otherwise each object would lose its seed within the hour.
 */
extern const bool cprng_os_vm_shows_reseeds;

/* Return the generation that the pages show together, never 0; 0 if a is NULL. */
uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a);

/*
 * Return true if the pages of a, not NULL, still show this generation.  May be false although they do (a page is being written),
 * never true if they do not.  Makes no system call.
 */
bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation);

/* Constant strings for cprng_get_info(): the mapped pages, the operator's file, and that file's state. */
struct cprng_os_announced {
	const char *pages, *file, *file_state;
};
struct cprng_os_announced cprng_os_announced(void);

/* ---------------------------------------------------------------------------------------------------------- files */

/*
 * The file operations that the seed file needs.  `dir` and `fd` are descriptors, which no exec inherits.  Calls that a signal
 * interrupts are repeated.
 */
struct cprng_os_file {
	uint64_t device, number; /* which file it is */
	uint64_t size, links;
	bool regular;
	bool trusted; /* it belongs to the user whose rights this process has, or to root */
	bool owner_may_write;
	bool exposed; /* users other than the owner have rights */
};

/* Return the last component of a path, or "". */
const char *cprng_os_name_in_path(const char *path);

long cprng_os_open_directory(const char *path);

/* Describe the file of that name: a symbolic link is not followed, and a device is not opened. */
long cprng_os_find_file(int dir, const char *name, struct cprng_os_file *file);

/* Open for reading and writing, without following a link or waiting for another process. */
long cprng_os_open_file(int dir, const char *name);

/* Create a file that does not exist yet, for writing, with rights only for its owner. */
long cprng_os_create_file(int dir, const char *name);

long cprng_os_describe_file(int fd, struct cprng_os_file *file);

/*
 * Lock the open file against others that have opened it, in this process and in others.  Return 0, or -EWOULDBLOCK if it is
 * locked.  A child that was forked meanwhile holds the lock too, until it or its parent unlocks it.
 */
long cprng_os_try_lock_file(int fd) CPRNG_MUST_CHECK;
void cprng_os_unlock_file(int fd);

/*
 * Return the number of bytes read or written, which may be less than len; 0 from a read is the end of the file.  A write beyond the
 * file size limit fails, and raises no signal.
 */
long cprng_os_read_file(int fd, void *buf, size_t len);
long cprng_os_write_file(int fd, const void *buf, size_t len);

/* Flush a file's or directory's content to the disk. */
long cprng_os_sync_file(int fd);

/* Rename atomically within a directory; `to` is replaced. */
long cprng_os_rename_file(int dir, const char *from, const char *to);
long cprng_os_remove_file(int dir, const char *name);
void cprng_os_close_file(int fd);

/* ---------------------------------------------------------------------------------------------- fatal error message */

/* Write "cprng: what\n" (or "cprng: what: error 38\n" for a negative error number) to standard error, then abort. */
__attribute__((noreturn)) void cprng_os_die(const char *what, long error);

/* The system's part of cprng_os_die(): write the line to standard error, then abort. */
__attribute__((noreturn)) void cprng_os_end(const char *line, size_t len);

CPRNG_END_DECLARATIONS
#endif

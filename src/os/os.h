/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between the library and the operating system below it.  src/os/<system>/ implements it, one
 * implementation is built (cmake -DCPRNG_OS=...), and src/process/ knows the system by nothing else.
 *
 * What holds for every function, unless its own text says otherwise:
 *
 *   - it may be called by any thread and in any signal handler, is not a cancellation point, and leaves errno alone;
 *   - a result of type long is 0 or more for success and a negative error number (-EACCES) for failure;
 *   - a function that a system cannot implement reports that as its text says.  The library then draws more slowly, and
 *     keeps its promises.
 */
#ifndef CPRNG_OS_OS_H
#define CPRNG_OS_OS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/* ------------------------------------------------------------------------------------------------------ memory */

/* The size of a page in bytes, a power of two, 4096 at the least. */
size_t cprng_os_page_size(void);

/* Map len bytes of private zero memory, from the start of a page; NULL when there is none. */
void *cprng_os_map(size_t len);

/* Unmap what cprng_os_map() returned, whole. */
void cprng_os_unmap(void *p, size_t len);

/*
 * Have the system zero the range in a forked child, in whichever way the child is made, and leave it out of core
 * dumps where it can.  On macOS a child that was made without the C library lacks the range, and faults there.  p is the
 * start of a page.  False when the system does neither: then nothing that must not be copied may be kept there.  A second
 * call on the same range restores it after a checkpoint has lost it.
 */
bool cprng_os_wipe_on_fork(void *p, size_t len) CPRNG_MUST_CHECK;

/* Back the range by the smallest pages: a huge page would hold the buffers of 512 CPUs, of which perhaps two draw. */
void cprng_os_use_small_pages(void *p, size_t len);

/*
 * Keep the pages that the range lies in out of swap; false when a limit or a sandbox refuses.  Locked pages count
 * against a limit that belongs to the application: lock no more than is used.
 */
bool cprng_os_lock_memory(void *p, size_t len);

/* ----------------------------------------------------------------------------------------- processes and threads */

/* The number of the process, from the system and not from a cache: it differs in a forked child. */
long cprng_os_process_id(void);

/*
 * A number that no other thread of the address space has at the time, not 0, with bit 0 clear.  The same for the whole life of
 * a thread, and in the thread that goes on in a forked child.  Makes no system call.
 */
uintptr_t cprng_os_this_thread(void);

/*
 * Is the calling thread the one with which its process began?  In a child of a fork that is the thread that forked.
 * False where the system does not report it.
 */
bool cprng_os_is_first_thread(void);

/*
 * Exit words: the system stores 0 to a thread's word when the thread ends or leaves its memory by execve(2).  The first
 * function reports the word of the calling thread (NULL: it has none), the second sets it.  Negative where the system
 * cannot.
 */
long cprng_os_get_exit_word(uint32_t **word);
long cprng_os_set_exit_word(uint32_t *word);

/* A bound above every CPU number that can occur in this process, hot-plugged CPUs included; 0 when unknown. */
uint32_t cprng_os_cpu_limit(void);

/* -------------------------------------------------------------------------------------------------------- signals */

/* A set of blocked signals: 128 of them on MIPS. */
struct cprng_os_signals {
	uint64_t word[2];
};

/*
 * Block signals and save the old set to *saved; restore that set.  The calls nest.  Where the system
 * refuses to block them, the restoration changes nothing.  In between, the thread cannot be cancelled either, not even
 * asynchronously: it may hold a lock.
 *
 * Signals that the thread's own instructions raise stay open: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS.
 * A system kills a process that raises one of them while it is blocked, although the program may have a handler that
 * maps the page (garbage collectors, lazy commit), emulates the call (seccomp) or steps through the code.
 */
void cprng_os_block_signals(struct cprng_os_signals *saved);
void cprng_os_restore_signals(const struct cprng_os_signals *saved);

/* -------------------------------------------------------------------------------------------------------- waiting */

/*
 * Sleep while *word has this value; wake one thread that sleeps on *word.  A wait may end early at any time, so its
 * caller looks again.  The word belongs to this process alone.
 */
void cprng_os_wait(uint32_t *word, uint32_t value);
void cprng_os_wake(uint32_t *word);

/* Sleep for less than a second; a signal handler cuts the sleep short. */
long cprng_os_sleep(uint32_t nanoseconds);

/* --------------------------------------------------------------------------------------------------------- clocks */

/* A clock that never steps back, from any start, in nanoseconds; 0 when there is none. */
uint64_t cprng_os_nanoseconds(void);

/* The same in seconds, as cheaply as the system has it: a refill reads it. */
uint32_t cprng_os_seconds(void);

/* -------------------------------------------------------------------------------------------------------- entropy */

/*
 * Fill buf with len bytes of the system's generator by system calls: bytes that this process's memory does not
 * determine.  Blocks until that generator is seeded.  Returns 0, or a negative error number with nothing usable in buf.
 */
long cprng_os_entropy(void *buf, size_t len) CPRNG_MUST_CHECK;

/*
 * The system's generator run in this process's own memory, without a system call.  Its bytes are unique; an attacker
 * that has read the memory knows them.  There are `states` of it, each for one user at a time, numbered from 0, which
 * the system zeroes in a forked child.
 */
struct cprng_os_vdso {
	long (*generate)(void *buf, size_t len, unsigned int flags, void *state, size_t state_size);
	uint8_t *memory;
	size_t mapped, page;
	uint32_t states; /* 0: the system has none */
	uint32_t state_size;
	uint32_t states_per_page;
};

/* Set up `states` of them; e->states is 0 afterwards where there is none.  Not concurrently on one object. */
void cprng_os_vdso_open(struct cprng_os_vdso *e, uint32_t states);
void cprng_os_vdso_close(struct cprng_os_vdso *e);

/* Fill buf with len <= 256 bytes of state number `state`; false when the generator refuses. */
bool cprng_os_vdso_read(const struct cprng_os_vdso *e, uint32_t state, void *buf, size_t len) CPRNG_MUST_CHECK;

/* Zero a state, which is then set up again by its next read. */
void cprng_os_vdso_wipe(const struct cprng_os_vdso *e, uint32_t state);

/* The name of what cprng_os_entropy() calls, and of that generator, for cprng_get_info(). */
extern const char cprng_os_entropy_name[], cprng_os_vdso_name[];

/* Why a child cannot repeat what is buffered, for cprng_get_info(). */
extern const char cprng_os_fork_guard[];

/* The last words of a process without entropy, for cprng_os_die(). */
extern const char cprng_os_no_entropy[];

/* ------------------------------------------------------------------------------------------ restartable sequences */

/*
 * True, and *offset set, where the calling thread is registered for Linux's restartable sequences and
 * cprng_os_abort_sequences() works.  False everywhere else.  *offset is the distance of a thread's rseq area from its thread
 * pointer, where the C library registers every thread; or CPRNG_OS_OWN_AREAS, and then each thread joins by itself.
 */
bool cprng_os_restartable_sequences(ptrdiff_t *offset) CPRNG_MUST_CHECK;

/* No distance: an area is aligned to 32 bytes.  src/os/own_area.h has what draws read of a thread's own one. */
#define CPRNG_OS_OWN_AREAS ((ptrdiff_t)1)

/*
 * Where each thread joins by itself: register the calling thread, until it ends.  False where it is not registered: another
 * library has done that, a sandbox refuses, the thread is ending, or it shares the memory of another one (vfork).
 *
 * A sequence may begin only after this has returned true.  A handler that registered the thread in the middle of a sequence,
 * between the store of the descriptor and the load of the CPU, would return to a sequence that the kernel does not restart.
 */
bool cprng_os_join_sequences(void) CPRNG_MUST_CHECK;

/* The calling thread's rseq area; NULL where this system has none. */
const void *cprng_os_sequence_area(ptrdiff_t offset);

/* The CPU of the calling thread, out of its rseq area. */
uint32_t cprng_os_sequence_cpu(ptrdiff_t offset);

/*
 * Abort every sequence that another thread of this process is in the middle of.  When the call returns 0, each of them has
 * committed or is aborted: its next one sees what the caller has stored before.
 */
long cprng_os_abort_sequences(void) CPRNG_MUST_CHECK;

/* ------------------------------------------------------------------------------------------- clones that are announced */

/*
 * Pages that the hypervisor, the kernel or the machine's operator writes when the machine or its processes were cloned, and
 * which this process has mapped; for the functions below.  NULL where there is none.  The system looks for them once, when the
 * library is loaded (files are opened then anyway, and the program has not put itself into a sandbox yet), or at an earlier
 * call by another constructor.
 */
struct cprng_os_announcements;
const struct cprng_os_announcements *cprng_os_find_announcements(void);

/*
 * The pages move with every reseed of the kernel's generator, too.  Such a move renews buffers and keys, and leaves the program's
 * Fortuna objects seeded: otherwise each of them would lose its seed within the hour.
 */
extern const bool cprng_os_vm_shows_reseeds;

/* The generation that the pages show together, never 0; 0 when a is NULL. */
uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a);

/*
 * Do the pages, of which a is not NULL, still show this generation?  May be false when they do (a page is just being written),
 * never true when they do not.  No system call.
 */
bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation);

/* For cprng_get_info(), strings that stay as they are: what is mapped, the operator's file, and what became of that. */
struct cprng_os_announced {
	const char *pages, *file, *file_state;
};
struct cprng_os_announced cprng_os_announced(void);

/* ---------------------------------------------------------------------------------------------------------- files */

/*
 * As much of files as the seed file needs.  `dir` and `fd` are descriptors, which no exec inherits.  Calls that a signal
 * interrupts are made again.
 */
struct cprng_os_file {
	uint64_t device, number; /* which file it is */
	uint64_t size, links;
	bool regular;
	bool trusted; /* it belongs to the user whose rights this process has, or to root */
	bool owner_may_write;
	bool exposed; /* users other than the owner have rights */
};

/* The part of a path that is a name in a directory, or "". */
const char *cprng_os_name_in_path(const char *path);

long cprng_os_open_directory(const char *path);

/* Describe the file of that name: a symbolic link is not followed, and a device is not opened. */
long cprng_os_find_file(int dir, const char *name, struct cprng_os_file *file);

/* Open for reading and writing, without following a link or waiting for another process. */
long cprng_os_open_file(int dir, const char *name);

/* Create a file that did not exist, for writing, with rights for its owner alone. */
long cprng_os_create_file(int dir, const char *name);

long cprng_os_describe_file(int fd, struct cprng_os_file *file);

/*
 * Lock the open file against other openers of it, in this process and others: 0, -EWOULDBLOCK while another has the
 * lock.  A child that was forked meanwhile holds the lock too, until it or its parent unlocks it.
 */
long cprng_os_try_lock_file(int fd) CPRNG_MUST_CHECK;
void cprng_os_unlock_file(int fd);

/*
 * Bytes that were read or written, which may be fewer than len; 0 from a read is the end.  A write of more bytes than a file may
 * have fails, and raises no signal.
 */
long cprng_os_read_file(int fd, void *buf, size_t len);
long cprng_os_write_file(int fd, const void *buf, size_t len);

/* Bring the content, of a file or a directory, to the disk. */
long cprng_os_sync_file(int fd);

/* Atomically, in one directory; `to` is replaced. */
long cprng_os_rename_file(int dir, const char *from, const char *to);
long cprng_os_remove_file(int dir, const char *name);
void cprng_os_close_file(int fd);

/* ------------------------------------------------------------------------------------------------------ last words */

/* "cprng: what\n" (or "cprng: what: error 38\n" for a negative error number) to standard error, then abort. */
__attribute__((noreturn)) void cprng_os_die(const char *what, long error);

/* The line to standard error, then abort: the system's part of it. */
__attribute__((noreturn)) void cprng_os_end(const char *line, size_t len);

CPRNG_END_DECLARATIONS
#endif

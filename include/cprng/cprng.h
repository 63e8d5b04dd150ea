/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cprng: cryptographic random numbers at the speed of the hardware.
 *
 * There is nothing to initialise, to free or to configure.  Unless a function says otherwise:
 *
 *   threads     it may be called by any number of threads at once;
 *   signals     it is async-signal-safe, before main and after exit handlers too, and in a child after fork;
 *   failure     it cannot fail: it gives full-strength output, or prints one line to standard error and calls abort(3)
 *               (the kernel's entropy or a page of memory cannot be had, every backend fails its known answers, or a
 *               sandbox refuses membarrier(2) to an invalidation);
 *   errno       is preserved.
 *
 * The output is that of a cipher of 256-bit strength keyed from the kernel.  Served bytes are erased before a draw
 * returns, and keys are replaced at each refill (fast key erasure, Bernstein 2017): what leaks later does not tell what was drawn
 * before.  Bytes of the kernel by system call are mixed in once a second: what leaked before does not tell what is drawn later.
 * No output is repeated by another thread, a forked child or a signal handler.
 *
 * One kind of process must not draw, nor fork one that will, before it has called cprng_vfork_child(): a child that shares
 * its parent's memory (vfork(2), or clone(2) with CLONE_VM but not as a thread of the C library), nor may a signal handler
 * that runs in one.
 * The kernel takes restartable sequences away from such a child without a trace in memory.  posix_spawn(3) and system(3)
 * need nothing.
 *
 * A process may have several copies of the library: a program with the static one and a plugin with the shared one, say.
 * Each is separate.  Draws, cprng_invalidate(), cprng_reseed(), cprng_vfork_child(), cprng_add_entropy(), cprng_seed_file()
 * and what is told about the library concern the copy that the calling binary is linked with, and no other.  Objects
 * (streams, Fortuna) are for the functions of the copy that made them.
 *
 * A draw that a signal handler interrupts by a fork belongs to both processes if its bytes were taken already, as if
 * the fork had come right after its return.  A draw that a handler leaves by siglongjmp(3) has left unspecified bytes
 * in its buffer, which must not be used.
 */
#ifndef CPRNG_CPRNG_H
#define CPRNG_CPRNG_H

#include <stddef.h>
#include <stdint.h>

#define CPRNG_VERSION_MAJOR 0
#define CPRNG_VERSION_MINOR 1
#define CPRNG_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The library is compiled with hidden visibility: what is declared here is what the shared one exports.  The static one
 * is compiled with CPRNG_VISIBILITY=hidden, so that the binary it is linked into keeps it to itself.  Not for programs.
 */
#ifndef CPRNG_VISIBILITY
#define CPRNG_VISIBILITY default
#endif
#define CPRNG_PRAGMA_1(text) _Pragma(#text)
#define CPRNG_PRAGMA(text) CPRNG_PRAGMA_1(text)
CPRNG_PRAGMA(GCC visibility push(CPRNG_VISIBILITY))

#define CPRNG_WARN_UNUSED __attribute__((warn_unused_result))

/* ------------------------------------------------------------------------------------------------------- draws */

/*
 * Fill buf with len random bytes.  len is any size, 0 included (buf may then be NULL); buf has any alignment.
 *
 * Up to 512 bytes come out of the buffer of the CPU that the thread runs on; longer requests are expanded straight
 * into buf from a one-time key, which is wiped before the return.
 *
 *     unsigned char key[32];
 *     cprng_fast(key, sizeof(key));
 */
void cprng_fast(void *buf, size_t len);

/*
 * A uniform integer of 8, 16, 32 or 64 bits.  Inlined where the CPU has a restartable sequence for it.
 *
 *     uint32_t ticket = cprng_fast32();
 */
uint8_t cprng_fast8(void);
uint16_t cprng_fast16(void);
uint32_t cprng_fast32(void);
uint64_t cprng_fast64(void);

/*
 * A uniform integer in [0, bound); a bound of 0 or 1 gives 0.  Unbiased: values that would favour some results are
 * refused and redrawn (expected number of draws below 2 for every bound, 1 + bound/2^32 in the main).  Not constant
 * time in the value returned or refused, nor in bound.  Source: Lemire, doi:10.1145/3230636.
 *
 *     uint32_t die = 1 + cprng_uniform32(6);
 */
uint32_t cprng_uniform32(uint32_t bound);
uint64_t cprng_uniform64(uint64_t bound);

/*
 * A uniform integer in [lo, hi], both ends included.  If lo > hi the ends are taken the other way round.  The whole
 * range [0, UINT64_MAX] is allowed.
 *
 *     uint64_t port = cprng_range64(49152, 65535);
 */
uint64_t cprng_range64(uint64_t lo, uint64_t hi);

/*
 * A uniform multiple of 2^-53 in [0, 1): 53 random bits, 1 excluded.
 *
 *     double p = cprng_double();
 */
double cprng_double(void);

/*
 * Put the count elements of size bytes at base into a uniformly random order (Fisher and Yates, Durstenfeld's form).
 * count or size of 0 does nothing.  A permutation of more than about 2^32 elements draws 64-bit indexes.  The array
 * itself must not be shared with another thread during the call, and in a signal handler it must not be one that the
 * interrupted code is working on.
 *
 *     cprng_shuffle(deck, 52, sizeof(deck[0]));
 */
void cprng_shuffle(void *base, size_t count, size_t size);

/* ------------------------------------------------------------------------------------- freshness and invalidation */

/*
 * Drop everything that is buffered, for all CPUs and threads: no byte drawn after the return was generated before the
 * call.  For use after an event that the library cannot see, such as a virtual machine restored from a snapshot whose
 * generation user space is not shown (when its kernel has noticed: docs/snapshots.md), or a process that was restored
 * from a checkpoint, before it forks.  Costs some microseconds (an inter-processor interrupt).  Draws by others go on
 * meanwhile.
 *
 *     cprng_invalidate();
 */
void cprng_invalidate(void);

/*
 * The same, and the next bytes of every CPU are keyed from the kernel anew.  The kernel is asked once before anything
 * is dropped: returns 0, or CPRNG_ERR_ENTROPY when it does not answer, and then nothing has changed.
 *
 *     if (cprng_reseed() != 0)
 *             return -1;
 */
int cprng_reseed(void) CPRNG_WARN_UNUSED;

/*
 * To be called by a child that shares its parent's memory before anything else of this library: a child of vfork(2),
 * or of clone(2) with CLONE_VM, and CLONE_VFORK unless it has thread-local storage of its own.  If a signal handler may
 * draw, signals are to be blocked from before the child is made until this returns.
 *
 * From then on the child and its handlers may draw, and may fork; and until it is gone, by execve(2) or its end, all
 * draws in the memory that it shares are made from the kernel's bytes, at about a microsecond each.  The parent has
 * nothing to call.  What is forked meanwhile does without restartable sequences for good.  (POSIX lets a child of vfork
 * call nothing but _exit(2) and exec.  Linux bears more, but what is said here is about this library alone.)
 *
 * Any number of such children may be there at a time.  Where the end of one cannot be seen, the draws stay with the
 * kernel's bytes for good: the 65th at a time; a child that was made with CLONE_CHILD_CLEARTID; a child that has
 * called this of another copy of the library before; a thread or a forked child that calls this by mistake; where
 * set_tid_address(2) or the PR_GET_TID_ADDRESS of prctl(2) is refused.  Does nothing where there are no restartable
 * sequences.  A child that is killed during this call, an invalidation or a reseed, a draw that finds the virtual
 * machine cloned, or holding a lock of Fortuna, may leave its parent waiting permanently, or have it abort.
 *
 *     if (vfork() == 0) {
 *             cprng_vfork_child();
 *             cprng_fast(salt, sizeof(salt));
 *             execv(argv[0], argv);
 *             _exit(127);
 *     }
 */
void cprng_vfork_child(void);

/* ------------------------------------------------------------------------------------------------------- strong */

/*
 * Fill buf with len random bytes of the process's Fortuna: a generator that gathers entropy from several sources (the
 * kernel, instructions and timing of the CPU, the application) in 32 pools, so that it recovers from a disclosure of its
 * state even if most of them are in an attacker's hands.  For keys that live long.  Some hundred nanoseconds a call, and
 * the speed of the cipher for long ones.  len 0 does nothing.
 *
 * The kernel's bytes are among the sources at the first call of each process, after a fork, and after
 * cprng_invalidate(); it aborts if they cannot be had then.  Later a source that fails is retired, and told by
 * cprng_get_strong_info().  Where a hypervisor shows the generation of the virtual machine (/dev/vmclock0), a clone is
 * noticed at each call, and all is invalidated; for others the window is 200 ms.
 *
 * Signals are blocked for some hundred nanoseconds, or while up to 1 MiB is generated; so a handler never finds a key of it
 * on the stack, and a fork in one shares nothing but whole MiBs that were complete.  Not blocked are SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, SIGTRAP and SIGSYS, which instructions raise: buf may be memory that a handler maps at its first touch.  Where pages
 * cannot be wiped on a fork there are no pools: then this gives the kernel's bytes, and events and seed files have no effect.
 *
 * From its first use on (this function, cprng_add_entropy() or cprng_seed_file()) the generator of the other functions
 * is reseeded from it as well, together with the kernel's bytes, once a second and CPU.
 *
 *     cprng_strong(master_key, sizeof(master_key));
 */
void cprng_strong(void *buf, size_t len);

/* Sources of the application: 0 to CPRNG_APPLICATION_SOURCES - 1, at its choice. */
#define CPRNG_APPLICATION_SOURCES 128

/*
 * Add len bytes, at most 32, of an event that the application saw (times of arrival, measurements, user input) to the
 * process's Fortuna.  `estimate` is how many bits of them, at most 8 * len, nobody else can know; 0 if in doubt: it
 * decides how soon the next reseed is, and input cannot make the output worse whatever it is.  Never waits and never
 * fails for long: may be called from a signal handler.  len 0 does nothing.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT (buf is NULL, estimate above 8 * len), CPRNG_ERR_SOURCE, CPRNG_ERR_SIZE, or
 * CPRNG_ERR_FULL: its place in the queue is taken (the queue is full until the next call of cprng_strong(), or a producer
 * was stopped there for ever); the event was dropped and counted.
 *
 *     cprng_add_entropy(0, &when, sizeof(when), 4);
 */
int cprng_add_entropy(unsigned int source, const void *buf, size_t len, unsigned int estimate);

/*
 * on != 0 (the choice at the start): readers of cprng_strong() generate outside the lock, side by side; 0: under it, one
 * after the other, as the book has Fortuna.  The bytes that one thread reads are the same.
 */
void cprng_strong_set_concurrent(int on);

/*
 * Carry entropy across restarts by a seed file of 64 bytes, mode 0600: its content is mixed into the process's Fortuna
 * and replaced before the return by bytes that have nothing to do with what the process draws, so that no content is
 * used twice; the new file appears whole or not at all, and is on the disk.  A process that runs at the same time waits
 * for its turn.  Not for signal handlers.
 *
 * The turn is the lock of the file, flock(2), which any process can hold that can open the file.  So the lock of a file that
 * others can read or write is not waited for: if it is taken, a new file is put in its place, and the old content is not
 * mixed.  For that of a file of mode 0600 each holder is waited for about ten seconds.
 *
 * Returns 0, or the sum of CPRNG_SEED_* where the old content was missing or is not to be relied on (a new file is in its
 * place); or an error, with nothing mixed and the file as it was: CPRNG_ERR_ARGUMENT (path is NULL or empty),
 * CPRNG_ERR_FILE_TYPE (a symbolic link, a directory, a device, longer than 64 bytes, or with a second name),
 * CPRNG_ERR_FILE_OWNER (neither the caller's nor root's), CPRNG_ERR_BUSY (its lock did not become free), or
 * CPRNG_ERR_SYSTEM with errno set: it cannot be read, or not be replaced (a read-only file system or file).  Only if the directory cannot be brought to the disk, which comes last,
 * the new file is there already.
 */
int cprng_seed_file(const char *path) CPRNG_WARN_UNUSED;

enum cprng_seed_remark {
	CPRNG_SEED_MISSING = 1, /* there was no file */
	CPRNG_SEED_SHORT = 2,   /* it had less than 64 bytes */
	CPRNG_SEED_EXPOSED = 4, /* others could read or write it */
	CPRNG_SEED_LOCKED = 8   /* another process held its lock: not mixed; always with EXPOSED */
};

/*
 * A source of the process's Fortuna.  Names: "kernel", "cpu-seed" and "cpu-random" (instructions), "jitter",
 * "vm-generation", and "application" for all of these.  States: "absent" on this machine, "starting", "healthy",
 * "retired" (it failed a health test, or stopped answering); of the application "used" or "unused".
 */
struct cprng_source_info {
	const char *name;
	const char *state;
	uint64_t events;  /* given to the pools, or taken by the queue */
	uint64_t samples; /* seen by the health tests */
};

#define CPRNG_SOURCES_MAX 8

struct cprng_strong_info {
	const char *engine;
	const char *backend;
	int concurrent;
	uint32_t sources;
	uint64_t reseeds; /* from the pools, in this process */
	uint64_t events;
	uint64_t dropped;
	struct cprng_source_info source[CPRNG_SOURCES_MAX];
};

/*
 * Fill *info; makes a read, so that everything is set up.  size is sizeof(*info), as for cprng_get_info().  source[] keeps
 * its length; fields of later versions follow it.
 */
void cprng_get_strong_info(struct cprng_strong_info *info, size_t size);

/* ------------------------------------------------------------------------------------------------------- errors */

enum cprng_error {
	CPRNG_OK = 0,
	CPRNG_ERR_ENGINE = -1,       /* no engine of that name */
	CPRNG_ERR_KEY_SIZE = -2,     /* the engine does not take a key of that many bytes */
	CPRNG_ERR_NONCE_SIZE = -3,   /* nor a nonce */
	CPRNG_ERR_RANGE = -4,        /* past the end of the keystream or of 64-bit byte offsets */
	CPRNG_ERR_ENTROPY = -5,      /* the kernel's random numbers cannot be had */
	CPRNG_ERR_SELFTEST = -6,     /* no backend of the engine passes its known answers */
	CPRNG_ERR_ARGUMENT = -7,     /* a NULL pointer where data is needed, a number out of its range */
	CPRNG_ERR_SOURCE = -8,       /* no entropy source of that number */
	CPRNG_ERR_SIZE = -9,         /* too many bytes for an event, or too few for a seed */
	CPRNG_ERR_FULL = -10,        /* the harvest queue is full: the event was dropped */
	CPRNG_ERR_UNSEEDED = -11,    /* no reseed yet: no output */
	CPRNG_ERR_MEMORY = -12,      /* no memory */
	CPRNG_ERR_UNSUPPORTED = -13, /* pages cannot be wiped on a fork here */
	CPRNG_ERR_SYSTEM = -14,      /* a system call failed: errno tells */
	CPRNG_ERR_FILE_TYPE = -15,   /* not a regular file */
	CPRNG_ERR_FILE_OWNER = -16,  /* the file belongs to another user */
	CPRNG_ERR_BUSY = -17         /* another process holds the lock of the file */
};

/* A sentence without a full stop for one of the codes above; "unknown error" for others.  Never NULL, static. */
const char *cprng_strerror(int error);

/* --------------------------------------------------------------------------------------------- seeded streams */

/*
 * A reproducible keystream of a named engine: the same name, key and nonce give the same bytes for ever, on every
 * machine.  For test data, simulations and interoperability.  NOT for secrets: nothing is erased behind the reader,
 * and whoever knows the key knows all.
 *
 * Engines: chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8 (key 16 or 32 bytes; nonce 8 bytes with a 64-bit
 * block counter; ChaCha also takes the 12-byte nonce of RFC 8439 with its 32-bit counter), aes256-ctr and aes128-ctr
 * (SP 800-38A; key 32 or 16 bytes; nonce = initial counter block of 16 bytes, counted big-endian modulo 2^128).
 * Block counters start at 0.
 *
 * One object is for one thread at a time; distinct objects are independent.  Not for use in a signal handler that may
 * have interrupted a call on the same object.
 */
typedef struct cprng_stream {
	unsigned char opaque[512] __attribute__((aligned(64)));
} cprng_stream;

/*
 * Start at offset 0.  nonce NULL with nonce_len 0 means the engine's first nonce size, all zero.  Returns 0,
 * CPRNG_ERR_ARGUMENT, CPRNG_ERR_ENGINE, CPRNG_ERR_KEY_SIZE, CPRNG_ERR_NONCE_SIZE or CPRNG_ERR_SELFTEST; on error
 * *s is all zero, and every later read or seek on it gives CPRNG_ERR_ARGUMENT.
 *
 *     cprng_stream s;
 *     if (cprng_stream_init(&s, "chacha20", key, 32, NULL, 0) != 0 ||
 *         cprng_stream_read(&s, data, sizeof(data)) != 0)
 *             return -1;
 *     cprng_stream_wipe(&s);
 */
int cprng_stream_init(cprng_stream *s, const char *engine, const void *key, size_t key_len, const void *nonce,
		      size_t nonce_len) CPRNG_WARN_UNUSED;

/*
 * Write the next len bytes to buf and step the offset.  Any split gives the same bytes.  Returns 0, CPRNG_ERR_ARGUMENT,
 * or CPRNG_ERR_RANGE when the stream ends before: with a 12-byte nonce after 2^32 blocks (256 GiB), otherwise after
 * 2^64 - 1 bytes.  On error nothing is written and the offset stays.
 */
int cprng_stream_read(cprng_stream *s, void *buf, size_t len) CPRNG_WARN_UNUSED;

/*
 * Go to an absolute byte offset, the end included, in constant time.  Returns 0, CPRNG_ERR_ARGUMENT or CPRNG_ERR_RANGE
 * (as for read).
 */
int cprng_stream_seek(cprng_stream *s, uint64_t offset) CPRNG_WARN_UNUSED;

/* The offset in bytes of the next byte to be read; 0 for a stream that is wiped or NULL. */
uint64_t cprng_stream_tell(const cprng_stream *s);

/* Erase key and position; NULL does nothing.  A later read or seek gives CPRNG_ERR_ARGUMENT until it is initialised again. */
void cprng_stream_wipe(cprng_stream *s);

/* ------------------------------------------------------------------------------------------------------ queries */

/* "MAJOR.MINOR.PATCH" of the library that is linked, static. */
const char *cprng_version(void);

/* What serves the draws of this process.  All strings are static. */
struct cprng_info {
	const char *engine;      /* "aes256-ctr", "chacha20" */
	const char *backend;     /* "vaes512", "portable", ... */
	const char *placement;   /* "per-cpu" (restartable sequences), "slots" (claimed), "unbuffered" */
	const char *entropy;     /* "vdso-getrandom", "getrandom" */
	const char *fork_guard;  /* "wipe-on-fork", or "unbuffered" where pages cannot be wiped */
	const char *memory_lock; /* "locked", "refused", "none" (nothing is buffered) */
	uint32_t cpus;           /* states that could be used: CPUs, or slots; 0 when unbuffered */
	uint32_t state_bytes;    /* memory of each state that has been used */
	uint32_t buffer_bytes;   /* of which hold random bytes at the most */
	uint32_t
		refills_per_reseed; /* bytes that no copy of the process has are mixed in every so many refills of a state, */
	uint32_t
		seconds_per_reseed; /* and bytes of the kernel by system call at the first refill after so many seconds */
};

/*
 * Fill *info; makes a draw, so that everything is chosen and set up.  info NULL does nothing.
 *
 * size is sizeof(*info), in all functions that have it: later versions append fields to these structures.  A library that
 * knows more fields than the caller leaves out what does not fit, so that not a byte beyond size is written; one that knows
 * fewer sets the others to zero.  A size of 0 writes nothing.
 *
 *     struct cprng_info info;
 *     cprng_get_info(&info, sizeof(info));
 */
void cprng_get_info(struct cprng_info *info, size_t size);

struct cprng_engine_info {
	const char *name;
	uint8_t key_sizes[2];   /* bytes; 0 for none */
	uint8_t nonce_sizes[2]; /* bytes; 0 for none */
	uint8_t block_size;     /* bytes */
	uint8_t rounds;
};

/*
 * Describe engine number index, from 0.  size is sizeof(*info), as for cprng_get_info().  Returns 0, or CPRNG_ERR_ARGUMENT
 * past the last or if info is NULL.
 */
int cprng_get_engine(unsigned int index, struct cprng_engine_info *info, size_t size) CPRNG_WARN_UNUSED;

/*
 * The library makes it and the callback reads it, so later versions may append fields and need no size: an older callback
 * does not look at them.  The other way round, a callback reads a field only if cprng_version() is one that has it.
 */
struct cprng_selftest_result {
	const char *engine;
	const char *backend;
	int usable;   /* this CPU can run it */
	int selected; /* it is the one that the engine uses */
	int failed;   /* 0: passed (or not usable); else the number of the first known answer that was missed */
};

/*
 * Run the known answers of every engine on every backend that was built, and report each in turn (report may be NULL).
 * Returns the number of usable backends that failed.  Takes milliseconds.
 *
 *     if (cprng_selftest(NULL, NULL) != 0)
 *             abort();
 */
int cprng_selftest(void (*report)(const struct cprng_selftest_result *result, void *arg), void *arg) CPRNG_WARN_UNUSED;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include <cprng/draw.h>

#endif

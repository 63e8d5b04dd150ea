/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cprng: a CSPRNG (cryptographically secure pseudorandom number generator) at the speed of the hardware.
 *
 * Construction: fast key erasure (D. J. Bernstein, "Fast-key-erasure random-number generators", 2017,
 * https://blog.cr.yp.to/20170723-random.html), with a key and a buffer for each CPU.  AES-256 in counter mode or
 * ChaCha20 expands the key; the first 32 bytes of the keystream replace the key, the rest fills the buffer, and a draw
 * erases the bytes that it serves.
 *
 *     kernel, Fortuna --reseed--> key --cipher--> next key | buffer --> draws, each erased as it is served
 *
 * Properties, by their names in NIST SP 800-90A.  (In its terms the library is a DRBG, a deterministic random bit
 * generator, with a security strength of 256 bits; it uses none of the mechanisms that the standard specifies.)
 *
 *   backtracking resistance   at once (forward secrecy): memory that leaks after a draw does not reveal what was drawn;
 *   prediction resistance     at each reseed: memory that leaked before it does not reveal what is generated after it.
 *                             The first refill of a CPU after a second is reseeded from the kernel by system call;
 *   uniqueness                no output is repeated by another thread or CPU, a forked child or a signal handler.
 *
 * docs/threats.md has each promise with its limits and its tests.
 *
 * There is nothing to initialise, to free or to configure.  Unless its own text says otherwise, a function
 *
 *   threads     may be called by any number of threads at once;
 *   signals     is async-signal-safe, also before main, in exit handlers and in a child after fork(2);
 *   failure     either gives full-strength output, or prints one line to standard error and calls abort(3).  Causes of
 *               that: the kernel's entropy or a page of memory is unavailable, every backend fails its known answers,
 *               or a sandbox refuses membarrier(2) to an invalidation;
 *   errno       preserves errno.
 *
 * A child that shares its parent's memory (vfork(2), or clone(2) with CLONE_VM but not as a thread of the C library)
 * must call cprng_vfork_child() before it draws, before one of its signal handlers draws, and before it forks a
 * process that draws: the kernel ends the registration of restartable sequences for such a child, which nothing in memory
 * shows.
 * posix_spawn(3) and system(3) need nothing.
 *
 * A process may have several copies of the library: a program with the static one and a plugin with the shared one,
 * say.  Each copy is separate.  Draws, cprng_invalidate(), cprng_reseed(), cprng_vfork_child(), cprng_add_entropy(),
 * cprng_seed_file() and the queries concern only the copy that the calling binary is linked with.  Pass an object (a
 * stream, a Fortuna) only to the functions of the copy that made it.
 *
 * If a handler forks during a draw, the child draws again.  Parent and child share only
 *
 *   - a draw whose last instructions, fewer than 64, the handler interrupts, as if fork() had followed the draw;
 *   - the pieces of a long request that were complete, of 64 MiB, or of 1 MiB for cprng_strong();
 *   - the choices of cprng_shuffle() and cprng_sample() that were made.
 *
 * A length that wraps around the address space, as a negative number does that became a size_t, ends the process with a line on
 * standard error; functions that return errors return CPRNG_ERR_ARGUMENT for it.
 *
 * If a handler leaves a draw by siglongjmp(3), the caller's buffer holds unspecified bytes, which must not be used.  Where the
 * placement is "slots" the jump may lose a slot for good, and so may an asynchronous cancellation of the thread: sound, but
 * after some hundreds of them draws cost as much as system calls.
 */
#ifndef CPRNG_CPRNG_H
#define CPRNG_CPRNG_H

#include <stddef.h>
#include <stdint.h>

#define CPRNG_VERSION_MAJOR 0
#define CPRNG_VERSION_MINOR 1
#define CPRNG_VERSION_PATCH 0

/* MemorySanitizer: msan.h; not for the library itself, as one file. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer) && !defined(CPRNG_DEFINES_FAST)
#define CPRNG_MSAN
#ifndef CPRNG_NO_INLINE
#define CPRNG_NO_INLINE
#endif
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Not for programs.  The library is compiled with hidden visibility: the shared library exports what is declared here.
 * The static library is compiled with CPRNG_VISIBILITY=hidden, so that a binary with it does not export these functions.
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
 * Up to 512 bytes come from the buffer of the CPU that the thread runs on; in a process's first draw, and while the buffers are
 * begun or invalidated, from the kernel.  A longer request is expanded straight into buf from a one-time key, which is wiped
 * before the return.
 *
 * Inlined where len is a constant from 1 to 64 and the CPU has a restartable sequence for it, which the C library has registered.
 *
 *     unsigned char key[32];
 *     cprng_fast(key, sizeof(key));
 */
void cprng_fast(void *buf, size_t len);

/*
 * Return a uniform integer of 8, 16, 32 or 64 bits.  Inlined where the CPU has a restartable sequence for it.
 *
 *     uint32_t ticket = cprng_fast32();
 */
uint8_t cprng_fast8(void);
uint16_t cprng_fast16(void);
uint32_t cprng_fast32(void);
uint64_t cprng_fast64(void);

/*
 * Return a uniform integer in [0, bound); a bound of 0 or 1 gives 0.  Unbiased: values that would favour some results
 * are rejected and drawn again (expected number of draws below 2 for every bound, about 1 + bound/2^32 at most for a small
 * one).  The time depends on bound and on the values returned and rejected.  Source: Lemire, doi:10.1145/3230636.
 *
 *     uint32_t die = 1 + cprng_uniform32(6);
 */
uint32_t cprng_uniform32(uint32_t bound);
uint64_t cprng_uniform64(uint64_t bound);

/*
 * Return a uniform integer in [lo, hi], both ends included.  If lo > hi, swap them.  The whole range [0, UINT64_MAX] is
 * allowed.
 *
 *     uint64_t port = cprng_range64(49152, 65535);
 */
uint64_t cprng_range64(uint64_t lo, uint64_t hi);

/* As cprng_range64(), of signed integers. */
int64_t cprng_int_range(int64_t lo, int64_t hi);

/* Return 0 or 1. */
int cprng_bool(void);

/*
 * Return a uniform multiple of 2^-53 in [0, 1): 53 random bits, 1 excluded; of a float 2^-24, with 24 bits.
 *
 *     double p = cprng_double();
 */
double cprng_double(void);
float cprng_float(void);

/*
 * Return a normally distributed number of mean mu and standard deviation sigma, or an exponentially distributed one of
 * this mean.  Made of 64 random bits as cprng_stream_normal() and cprng_stream_exponential() are.  A NaN if mu, sigma or
 * mean is not finite, or sigma or mean negative.
 */
double cprng_normal(double mu, double sigma);
double cprng_exponential(double mean);

/*
 * Put the count elements of size bytes at base into a uniformly random order (Fisher and Yates, Durstenfeld's form, with up to
 * six indexes from a word of 64 bits: N. Brackett-Rozinsky and D. Lemire, 2024, doi:10.1002/spe.3369).  count or size of 0 does
 * nothing.  Uses no memory but the array and the stack.  The caller has the array to itself during the call: no other
 * thread uses it, nor, in a signal handler, the code that was interrupted.
 *
 *     cprng_shuffle(deck, 52, sizeof(deck[0]));
 */
void cprng_shuffle(void *base, size_t count, size_t size);

/*
 * Write k distinct integers of [0, n) to out, in random order: each set of k, in each order, is equally likely.  The time is
 * linear in k, and no memory but out and the stack is used.  Returns 0, or CPRNG_ERR_ARGUMENT, with
 * nothing written, when k > n or out is NULL with k > 0.
 *
 *     uint64_t winners[3];
 *     if (cprng_sample(winners, 3, tickets) != 0)
 *             return -1;
 */
int cprng_sample(uint64_t *out, size_t k, uint64_t n) CPRNG_WARN_UNUSED;

/*
 * Fill out with count numbers like those that count calls of cprng_fast32(), _fast64(), _uniform32(), _uniform64(),
 * _range64(), _int_range(), _float(), _double(), _normal() or _exponential() return, but faster.  out may be NULL if count
 * is 0.  Returns 0; or CPRNG_ERR_ARGUMENT, with nothing written, if out is NULL, if the array would be larger than memory,
 * or if the single calls return a NaN for mu, sigma or mean.  There is no other error: without entropy these functions
 * abort, as all draws do.
 *
 *     uint32_t throws[1000];
 *     if (cprng_fill_uniform32(throws, 1000, 6) != 0)
 *             return -1;
 */
int cprng_fill_u32(uint32_t *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_fill_u64(uint64_t *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_fill_uniform32(uint32_t *out, size_t count, uint32_t bound) CPRNG_WARN_UNUSED;
int cprng_fill_uniform64(uint64_t *out, size_t count, uint64_t bound) CPRNG_WARN_UNUSED;
int cprng_fill_range64(uint64_t *out, size_t count, uint64_t lo, uint64_t hi) CPRNG_WARN_UNUSED;
int cprng_fill_int_range(int64_t *out, size_t count, int64_t lo, int64_t hi) CPRNG_WARN_UNUSED;
int cprng_fill_float(float *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_fill_double(double *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_fill_normal(double *out, size_t count, double mu, double sigma) CPRNG_WARN_UNUSED;
int cprng_fill_exponential(double *out, size_t count, double mean) CPRNG_WARN_UNUSED;

/* ----------------------------------------------------------------------------------------- invalidation and reseeds */

/*
 * Drop everything that is buffered, for all CPUs and threads: no byte drawn after the return was generated before the
 * call.  Objects of <cprng/fortuna.h> are unseeded afterwards.  Other threads may draw meanwhile.  Costs some microseconds
 * (an inter-processor interrupt).
 *
 * A draw that is under way in another thread begins again, a long one with its present piece of 64 MiB; at the second
 * invalidation it is made from the kernel's bytes, and further ones do not delay it.  An array of numbers is filled at most three
 * times so.  cprng_strong() begins its present piece of 1 MiB again each time.
 *
 * Call it after an event that the library cannot see: in a virtual machine restored from a snapshot without a
 * generation that user space can read, once its kernel has noticed (docs/snapshots.md); in a process restored from a
 * checkpoint, before it forks.  Without the call two copies may have in common 4032 buffered bytes of each CPU (of each
 * slot, two for each CPU, where the placement is "slots"), or 126 requests of 513 to 4095 bytes, which take their keys
 * from these.
 *
 *     cprng_invalidate();
 */
void cprng_invalidate(void);

/*
 * Do what cprng_invalidate() does, and reseed every CPU from the kernel before its next bytes.  The kernel is asked
 * once before anything is dropped.  Returns 0, or CPRNG_ERR_ENTROPY, with nothing changed, when the kernel does not
 * answer.
 *
 *     if (cprng_reseed() != 0)
 *             return -1;
 */
int cprng_reseed(void) CPRNG_WARN_UNUSED;

/*
 * Return the address of a number that changes when everything that is buffered is dropped: by cprng_invalidate(),
 * cprng_reseed() or a detected clone; and that a fork sets to 0 in the child.  First detects a clone of the virtual machine,
 * as a draw of more than 512 bytes does.  The address stays the same in the process and in its forked children.  NULL: nothing is
 * buffered, and nothing shows a fork.
 *
 * For code that draws bytes to keep them, such as a language's binding.  It reads the number by an atomic load before it draws
 * them, and again before it serves any: if there is another number now, it drops them.  A number that is even stands for
 * no generation, before the first draw or while a thread begins one: what was drawn under it must not be kept.
 *
 *     const uint64_t *number = cprng_generation_number();
 */
const uint64_t *cprng_generation_number(void);

/*
 * Disable the buffers until the calling process, a child that shares its parent's memory, is gone.
 *
 * The caller is a child of vfork(2), or of clone(2) with CLONE_VM, and with CLONE_VFORK unless it has thread-local
 * storage apart from its parent's.  It calls this before any other function of the library.  If a signal handler may
 * draw, the parent blocks signals before it makes the child, and the child unblocks them after the return.
 *
 * Afterwards the child and its handlers may draw and fork.  Until the child is gone, by execve(2) or its end, all
 * draws in the shared memory are made from the kernel's bytes, at about a microsecond each.  The parent has nothing to
 * call.  A process that is forked meanwhile permanently does without restartable sequences.  (POSIX allows a child of
 * vfork only _exit(2) and exec.  Linux allows more; this text is about this library alone.)
 *
 * Any number of such children may exist at a time.  Where the library cannot see the end of one, all draws stay with
 * the kernel's bytes permanently: the 65th child at a time; a child made with CLONE_CHILD_CLEARTID; a child that has
 * called this function of another copy of the library before; a thread or a forked child that calls this by mistake;
 * where set_tid_address(2) or the PR_GET_TID_ADDRESS of prctl(2) is refused.  Does nothing where there are no
 * restartable sequences.
 *
 * A child may leave its parent waiting permanently, or have it abort, if it is killed while it holds a lock: in this
 * call, an invalidation, a reseed, a draw that finds the virtual machine cloned, or a function of Fortuna.
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
 * Fill buf with len random bytes of the process's Fortuna (Ferguson, Schneier and Kohno, "Cryptography Engineering",
 * chapter 9).  For keys that live long.  Takes some hundred nanoseconds, and runs at the speed of the cipher for long
 * requests.  len 0 does nothing.
 *
 * Fortuna gathers entropy from several sources (the kernel, instructions and timing of the CPU, the application) in 32
 * pools.  It recovers from a disclosure of its state even if an attacker controls most of the sources.
 *
 * The kernel's bytes are among the sources at the first call of each process, after a fork, and after
 * cprng_invalidate(); the call aborts if they are unavailable then.  A source that fails later is retired, which
 * cprng_get_strong_info() reports.  Where a clone of the machine is announced (/dev/vmclock0, /dev/sysgenid, or the
 * generation file of cprng(7)), each call detects it and invalidates everything.  Copies of which nothing is announced differ
 * from their first call on, by the CPU's random number instruction and counter; where user code can read neither, the window is
 * 200 ms.
 *
 * Signals are blocked for some hundred nanoseconds, or while up to 1 MiB is generated.  So a handler never finds a key
 * on the stack.  If the handler of a signal that came meanwhile forks, the child reads the piece again.  Not blocked are
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS, which instructions raise: buf may be memory that a handler maps
 * at its first touch.
 *
 * Where pages cannot be wiped on a fork there are no pools: this function then gives the kernel's bytes, and events and
 * seed files have no effect.
 *
 * From the first use of Fortuna on (this function, cprng_add_entropy() or cprng_seed_file()), the generator of the
 * other functions is reseeded from Fortuna as well as from the kernel, once a second and CPU.
 *
 *     cprng_strong(master_key, sizeof(master_key));
 */
void cprng_strong(void *buf, size_t len);

/* The application numbers its sources from 0 to CPRNG_APPLICATION_SOURCES - 1, as it likes. */
#define CPRNG_APPLICATION_SOURCES 128

/*
 * Add len bytes, at most 32, of an event that the application saw (times of arrival, measurements, user input) to the
 * process's Fortuna.  `entropy_bits` is how many bits of them, at most 8 * len, an attacker cannot know; 0 if in doubt.
 * It decides how soon the next reseed is; no input makes the output worse, whatever its entropy.  Never waits.  len 0
 * does nothing.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT (buf is NULL, entropy_bits above 8 * len), CPRNG_ERR_SOURCE, CPRNG_ERR_SIZE, or
 * CPRNG_ERR_FULL: the event was dropped and counted, because the queue is full until the next call of cprng_strong(),
 * or because a producer has stopped permanently at the event's place in the queue.
 *
 *     cprng_add_entropy(0, &when, sizeof(when), 4);
 */
int cprng_add_entropy(unsigned int source, const void *buf, size_t len, unsigned int entropy_bits);

/*
 * on != 0: readers of cprng_strong() generate under the lock, one after the other, as in the book, and release it after each
 * page of 4 KiB, with another key; 0 (the default): outside it, in parallel.
 */
void cprng_strong_set_locked_reads(int on);

/*
 * Carry entropy across restarts by a seed file of 64 bytes, mode 0600: mix its content into the process's Fortuna, and
 * replace it before the return by bytes that are independent of what the process draws.  So no content is used twice.
 * The new file appears whole or not at all, and is on the disk.  Not for signal handlers.
 *
 * Processes take turns by the lock of the file, flock(2), which any process that can open the file can hold.  So the
 * call does not wait for the lock of a file that other users can read or write: if that lock is taken, the call
 * replaces the file without mixing the old content.  For a file of mode 0600 it waits about ten seconds for each
 * holder.
 *
 * Returns 0, or the sum of CPRNG_SEED_* where the old content was missing or is not reliable (a new file is in its
 * place).  Returns an error, with nothing mixed and the file as it was:
 *
 *   CPRNG_ERR_ARGUMENT     path is NULL or empty;
 *   CPRNG_ERR_FILE_TYPE    it is a symbolic link, a directory or a device, is too long, or has a second name;
 *   CPRNG_ERR_FILE_OWNER   it belongs neither to the caller nor to root;
 *   CPRNG_ERR_BUSY         its lock did not become free;
 *   CPRNG_ERR_SYSTEM       it cannot be read or replaced (a read-only file system or file); errno is set.  Only if the
 *                          directory cannot be brought to the disk, which comes last, the new file is there already.
 *                          On Windows before version 1709 of 10, and on file systems that replace no open file, there
 *                          may be no file after it.
 */
int cprng_seed_file(const char *path) CPRNG_WARN_UNUSED;

enum cprng_seed_remark {
	CPRNG_SEED_MISSING = 1, /* there was no file */
	CPRNG_SEED_SHORT = 2,   /* it had less than 64 bytes */
	CPRNG_SEED_EXPOSED = 4, /* other users could read or write it */
	CPRNG_SEED_LOCKED = 8   /* another process held its lock, so it was not mixed; always with EXPOSED */
};

/*
 * A source of the process's Fortuna.  Names: "kernel", "cpu-seed" and "cpu-random" (instructions), "jitter",
 * "vm-generation", and "application" for all sources of the application.  States: "absent" on this machine, "starting",
 * "healthy", "retired" (it failed a health test, or stopped answering); for the application "used" or "unused".
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
	int locked_reads;
	uint32_t sources;
	uint64_t reseeds; /* from the pools, in this process */
	uint64_t events;
	uint64_t dropped;
	struct cprng_source_info source[CPRNG_SOURCES_MAX];
};

/*
 * Fill *info, after a read that sets everything up.  size is sizeof(*info), as for cprng_get_info().  source[] keeps
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
	CPRNG_ERR_ENTROPY = -5,      /* the kernel's random numbers are unavailable */
	CPRNG_ERR_SELFTEST = -6,     /* no backend of the engine passes its known answers */
	CPRNG_ERR_ARGUMENT = -7,     /* a NULL pointer where data is needed, a number out of its range */
	CPRNG_ERR_SOURCE = -8,       /* no entropy source of that number */
	CPRNG_ERR_SIZE = -9,         /* too many bytes for an event, or too few for a seed */
	CPRNG_ERR_FULL = -10,        /* the harvest queue is full: the event was dropped */
	CPRNG_ERR_UNSEEDED = -11,    /* there was no reseed yet, so there is no output */
	CPRNG_ERR_MEMORY = -12,      /* no memory */
	CPRNG_ERR_UNSUPPORTED = -13, /* pages cannot be wiped on a fork here */
	CPRNG_ERR_SYSTEM = -14,      /* a system call failed: errno says why */
	CPRNG_ERR_FILE_TYPE = -15,   /* not a regular file */
	CPRNG_ERR_FILE_OWNER = -16,  /* the file belongs to another user */
	CPRNG_ERR_BUSY = -17,        /* another process holds the lock of the file */
	CPRNG_ERR_CHECKPOINT = -18   /* not a checkpoint of a stream, or not a whole one */
};

/* Return a static string: a sentence without a full stop for one of the codes above, "unknown error" for others. */
const char *cprng_strerror(int error);

/* ------------------------------------------------------------------------------------------------------ queries */

/* Return "MAJOR.MINOR.PATCH" of the library that is linked, a static string. */
const char *cprng_version(void);

/* What serves the draws of this process.  All strings are static. */
struct cprng_info {
	const char *engine;          /* "aes256-ctr", "chacha20" */
	const char *backend;         /* "vaes512", "portable", ... */
	const char *placement;       /* "per-cpu" (restartable sequences), "slots" (claimed), "unbuffered" */
	const char *entropy;         /* "vdso-getrandom", "getrandom"; "getentropy", "ProcessPrng or RtlGenRandom" */
	const char *fork_guard;      /* "wipe-on-fork", "none-on-fork", "no fork", or "unbuffered" (no guard) */
	const char *memory_lock;     /* "locked", "refused", "none" (nothing is buffered) */
	uint32_t buffers;            /* how many there can be: one for each possible CPU, or slot; 0 when unbuffered */
	uint32_t state_bytes;        /* memory of a buffer that is in use, its key and bookkeeping included */
	uint32_t buffer_bytes;       /* the most random bytes that this memory holds */
	uint32_t refills_per_reseed; /* most refills between reseeds */
	uint32_t seconds_per_reseed; /* most seconds between reseeds by getrandom(2) */
	/* What shows this process a clone of the machine: some of "vmclock sysgenid generation-file", "fxrng", "seed version", or "none". */
	const char *announcements;
	const char *generation_file;       /* its name, whether it is there or not; "": none is named */
	const char *generation_file_state; /* "mapped", "absent", "none", or "refused: " and the reason */
};

/*
 * Fill *info, after a draw, which sets up everything.  info NULL does nothing.
 *
 * size is sizeof(*info), in all functions that have it: later versions append fields to these structures.  A library
 * that knows more fields than the caller writes the ones that fit into size bytes; a library that knows fewer sets the
 * others to zero.  A size of 0 writes nothing.
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
 * Describe engine number index, from 0.  size is sizeof(*info), as for cprng_get_info().  Returns 0, or
 * CPRNG_ERR_ARGUMENT past the last or if info is NULL.
 */
int cprng_get_engine(unsigned int index, struct cprng_engine_info *info, size_t size) CPRNG_WARN_UNUSED;

/*
 * The library makes it and the callback reads it, so later versions may append fields without a size: an older callback
 * ignores them.  A newer callback reads a field only if cprng_version() is a version that has it.
 */
struct cprng_selftest_result {
	const char *engine;
	const char *backend;
	int usable;   /* this CPU can run it */
	int selected; /* it is the one that the engine uses */
	int failed;   /* 0: passed (or not usable); else the number of the first known answer that was missed */
};

/*
 * Run the known answers of every engine on every backend that was built, and report each in turn (report may be NULL); then those
 * of the arithmetic of distributions, whose engine is "numbers".
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
#include <cprng/stream.h>
#ifdef CPRNG_MSAN
#include <cprng/msan.h>
#endif

#endif

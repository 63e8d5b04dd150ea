/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cprng: a CSPRNG (cryptographically secure pseudorandom number generator) at the speed of the hardware.
 *
 * Construction: fast key erasure (D. J. Bernstein, "Fast-key-erasure random-number generators", 2017,
 * https://blog.cr.yp.to/20170723-random.html), with a key and a buffer for each CPU.  AES-256 in counter mode or
 * ChaCha20 expands the key; the first 32 bytes of the keystream replace the key, the rest fills the buffer, and a draw
 * erases the bytes it serves.
 *
 *     kernel, Fortuna --reseed--> key --cipher--> next key | buffer --> draws, each erased as it is served
 *
 * Properties, by their names in NIST SP 800-90A.  (In its terms the library is a DRBG, a deterministic random bit
 * generator, with a security strength of 256 bits; it uses none of the mechanisms that the standard specifies.)
 *
 *   backtracking resistance   at once (forward secrecy): memory that leaks after a draw does not reveal what was drawn;
 *   prediction resistance     at each reseed: memory that leaked before it does not reveal what is generated after it.
 *                             The first refill of each CPU in each second reseeds from the kernel by system call;
 *   uniqueness                no thread, CPU, forked child or signal handler repeats the output of another.
 *
 * docs/threats.md states the limits and the tests of each promise.
 *
 * Nothing needs initialisation, release or configuration.  Unless its own text says otherwise, a function
 *
 *   threads     may be called by any number of threads at once;
 *   signals     is async-signal-safe, also before main, in exit handlers and in a child after fork(2);
 *   failure     either gives full-strength output, or prints one line to standard error and calls abort(3).  It aborts
 *               if the kernel's entropy or a page of memory is unavailable, if every backend fails its known answers,
 *               or if a sandbox refuses membarrier(2) to an invalidation;
 *   errno       preserves errno.
 *
 * A child that shares its parent's memory (vfork(2), or clone(2) with CLONE_VM but not as a thread of the C library)
 * must call cprng_vfork_child() before it draws, before one of its signal handlers draws, and before it forks a
 * process that draws.  The kernel ends the registration of restartable sequences for such a child, and nothing in memory
 * shows this.  posix_spawn(3) and system(3) need no call.
 *
 * A process may contain several copies of the library, for example a program with the static library and a plugin with
 * the shared one.  Each copy is separate.  Draws, cprng_invalidate(), cprng_reseed(), cprng_vfork_child(), cprng_add_entropy(),
 * cprng_seed_file() and the queries concern only the copy that the calling binary is linked with.  Pass an object (a
 * stream, a Fortuna) only to the functions of the copy that made it.
 *
 * If a handler forks during a draw, the child draws again.  Parent and child share only
 *
 *   - a draw that the handler interrupts in its last instructions (fewer than 64), as if fork() had followed the draw;
 *   - the completed pieces of a long request: pieces of 64 MiB, or of 1 MiB for cprng_strong();
 *   - the choices that cprng_shuffle() or cprng_sample() had already made.
 *
 * A length that wraps around the address space, such as a negative number converted to size_t, ends the process with a
 * line on standard error; functions that return errors return CPRNG_ERR_ARGUMENT for it.
 *
 * If a handler leaves a draw by siglongjmp(3), the caller's buffer holds unspecified bytes, which must not be used.  With
 * the placement "slots", such a jump or an asynchronous cancellation of the thread may leak a slot permanently.  Draws stay
 * sound, but after some hundreds of leaked slots they cost as much as system calls.
 */
#ifndef CPRNG_CPRNG_H
#define CPRNG_CPRNG_H

#include <stddef.h>
#include <stdint.h>

#define CPRNG_VERSION_MAJOR 0
#define CPRNG_VERSION_MINOR 1
#define CPRNG_VERSION_PATCH 0

/* MemorySanitizer: see msan.h.  Not for the library itself when it is compiled as one file. */
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
 * Not for programs.  The library is compiled with hidden visibility; the shared library exports the functions declared
 * here.  The static library is compiled with CPRNG_VISIBILITY=hidden, so that binaries do not export its functions.
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
 * Requests of up to 512 bytes are served from the buffer of the thread's CPU.  During a process's first draw, and while
 * the buffers are being set up or invalidated, they are served from the kernel.  A longer request is expanded straight into
 * buf from a one-time key, which is wiped before the function returns.
 *
 * Inlined if len is a constant from 1 to 64, the architecture has a restartable sequence for it, and the C library has
 * registered restartable sequences.
 *
 *     unsigned char key[32];
 *     cprng_fast(key, sizeof(key));
 */
void cprng_fast(void *buf, size_t len);

/*
 * Return a uniform integer of 8, 16, 32 or 64 bits.  Inlined where the architecture has a restartable sequence for it.
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

/* Like cprng_range64(), for signed integers. */
int64_t cprng_int_range(int64_t lo, int64_t hi);

/* Return 0 or 1. */
int cprng_bool(void);

/*
 * Return a uniform multiple of 2^-53 in [0, 1), 1 excluded, made of 53 random bits; cprng_float() returns a multiple of
 * 2^-24, made of 24 random bits.
 *
 *     double p = cprng_double();
 */
double cprng_double(void);
float cprng_float(void);

/*
 * Return a normally distributed number with mean mu and standard deviation sigma, or an exponentially distributed number
 * with the given mean.  Computed from 64 random bits, like cprng_stream_normal() and cprng_stream_exponential().  Returns
 * a NaN if mu, sigma or mean is not finite, or if sigma or mean is negative.
 */
double cprng_normal(double mu, double sigma);
double cprng_exponential(double mean);

/*
 * Put the count elements of size bytes at base into a uniformly random order (the Fisher-Yates shuffle in Durstenfeld's
 * form, with up to six indexes from a word of 64 bits: N. Brackett-Rozinsky and D. Lemire, 2024, doi:10.1002/spe.3369; above
 * 32 MiB after a division into random parts: R. Sandelius, 1962, doi:10.1111/j.2517-6161.1962.tb00474.x).
 * Does nothing if count or size is 0.  Uses only the array and the stack.  The caller must have exclusive use of the array
 * during the call: no other thread may use it, and a signal handler must not shuffle an array that the interrupted code uses.
 *
 *     cprng_shuffle(deck, 52, sizeof(deck[0]));
 */
void cprng_shuffle(void *base, size_t count, size_t size);

/*
 * Write k distinct integers from [0, n) to out, in random order: each set of k, in each order, is equally likely.  The time
 * is linear in k; only out and the stack are used.  Returns 0, or CPRNG_ERR_ARGUMENT, with nothing written, if k > n, or if
 * out is NULL and k > 0.
 *
 *     uint64_t winners[3];
 *     if (cprng_sample(winners, 3, tickets) != 0)
 *             return -1;
 */
int cprng_sample(uint64_t *out, size_t k, uint64_t n) CPRNG_WARN_UNUSED;

/*
 * Fill out with count numbers of the same distribution as cprng_fast32(), _fast64(), _uniform32(), _uniform64(),
 * _range64(), _int_range(), _float(), _double(), _normal() or _exponential(), faster than by single calls.  out may be NULL
 * if count is 0.
 *
 * Returns 0, or CPRNG_ERR_ARGUMENT, with nothing written, if out is NULL, if the array would be larger than the address
 * space, or if the single calls return a NaN for mu, sigma or mean.  There is no other error: without entropy these
 * functions abort, like all draws.
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

/* ---------------------------------------------------------------------------------------------- single choices */

/*
 * Return 1 with probability p, otherwise 0.  Exact for every double, which is an integer times a power of 2.  If p is
 * negative or a NaN, return 0; if p is above 1, return 1.
 */
int cprng_bernoulli(double p);

/* The same with probability numerator / denominator.  A denominator of 0 counts as 1. */
int cprng_bernoulli_ratio(uint64_t numerator, uint64_t denominator);

/* A table of weights.  Not for programs; the table has an entry for each weight. */
#pragma GCC visibility push(default) /* as a C++ class that has members of these types */
struct cprng_alias {
	uint64_t share, other;
};
typedef struct cprng_weights {
	const struct cprng_alias *table;
	uint64_t count, sum, bound, refused;
} cprng_weights;
#pragma GCC visibility pop

/*
 * Set up *w for choices among count things by their weights, by the alias method (A. J. Walker, doi:10.1145/355744.355749).
 * table has room for count entries.  It must stay unchanged while *w is in use; weights are not used afterwards.  The time is
 * linear in count.
 *
 * Returns 0; or CPRNG_ERR_ARGUMENT, with *w all zero, if a pointer is NULL, if count or the sum of the weights is 0, or if
 * count times the sum is 2^64 or more.
 *
 *     static const uint64_t weights[] = { 70, 25, 5 };
 *     struct cprng_alias table[3];
 *     cprng_weights w;
 *     if (cprng_weights_init(&w, table, weights, 3) != 0)
 *             return -1;
 *     size_t colour = cprng_weighted(&w);
 */
int cprng_weights_init(cprng_weights *w, struct cprng_alias *table, const uint64_t *weights,
		       size_t count) CPRNG_WARN_UNUSED;

/*
 * Return an index below count, each with probability weight / sum, exactly.  Takes constant time on average.  Any number of
 * threads may use *w at once.  Aborts if *w is all zero or NULL.
 */
size_t cprng_weighted(const cprng_weights *w);

/*
 * Write length characters of an alphabet of 1 to 256 symbols, all equally likely, and a NUL to out.  The alphabet must not
 * overlap out; a symbol that it has twice is twice as likely.  Reads the alphabet at the places that the draws choose.
 *
 * Returns 0, or CPRNG_ERR_ARGUMENT, with nothing written, if a pointer is NULL or symbols is 0 or above 256.
 *
 *     char id[22];
 *     if (cprng_text(id, 21, "0123456789abcdefghjkmnpqrstvwxyz", 32) != 0)
 *             return -1;
 */
int cprng_text(char *out, size_t length, const char *alphabet, size_t symbols) CPRNG_WARN_UNUSED;

/* Write a UUID of version 4 (RFC 9562), which has 122 random bits. */
void cprng_uuid4(uint8_t out[16]);

/*
 * Write a UUID of version 7: 48 bits of milliseconds since 1970, a counter of 12 bits, and 62 random bits.  Each one that
 * this copy of the library makes in a process is greater than those before it, in all threads, also if the clock is set
 * back or more than 2048 are made in a millisecond: then their time is ahead of the clock.  (RFC 9562, 6.2, method 1: the
 * counter starts at random, below 2048.)
 *
 * Returns 0; CPRNG_ERR_SYSTEM, with errno set, if the clock cannot be read; or CPRNG_ERR_RANGE after the year 10889.  After
 * an error nothing was written.
 */
int cprng_uuid7(uint8_t out[16]) CPRNG_WARN_UNUSED;

/* Write a UUID as text of 36 characters, in small letters, and a NUL. */
void cprng_uuid_text(char out[37], const uint8_t uuid[16]);

/* ----------------------------------------------------------------------------------------- invalidation and reseeds */

/*
 * Drop all buffered bytes, for all CPUs and threads: no byte drawn after the function returns was generated before the
 * call.  Objects of <cprng/fortuna.h> are unseeded afterwards.  Other threads may draw during the call.  Takes some
 * microseconds (an inter-processor interrupt).
 *
 * A draw in progress in another thread restarts; a long one restarts its current piece of 64 MiB.  At the second
 * invalidation the draw takes the kernel's bytes, and further invalidations do not delay it.  So an array of numbers is
 * filled at most three times.  cprng_strong() restarts its current piece of 1 MiB at each invalidation.
 *
 * Call it after an event that the library cannot detect:
 *
 *   - in a virtual machine that was restored from a snapshot and has no generation readable by user space, once its kernel
 *     has noticed the restore (docs/snapshots.md);
 *   - in a process that was restored from a checkpoint, before it forks.
 *
 * Without the call two copies may share 4032 buffered bytes per CPU (with the placement "slots", per slot, of which there
 * are two for each CPU), or 126 requests of 513 to 4095 bytes, whose keys are taken from these bytes.
 *
 *     cprng_invalidate();
 */
void cprng_invalidate(void);

/*
 * Do what cprng_invalidate() does, and reseed every CPU from the kernel before its next bytes.  Asks the kernel for bytes
 * once before dropping anything.  Returns 0, or CPRNG_ERR_ENTROPY, with nothing changed, if the kernel gives none.
 *
 *     if (cprng_reseed() != 0)
 *             return -1;
 */
int cprng_reseed(void) CPRNG_WARN_UNUSED;

/*
 * Return the address of the generation number.  The number changes when all buffered bytes are dropped, by
 * cprng_invalidate(), cprng_reseed() or a detected clone; a fork sets it to 0 in the child.  The address stays the same in
 * the process and its forked children.  Before it returns, the function checks for a clone of the virtual machine, like a
 * draw of more than 512 bytes.  Returns NULL if nothing is buffered; then nothing shows a fork.
 *
 * For code that draws bytes and keeps them, such as a language binding.  It must read the number by an atomic load before
 * it draws the bytes and again before it serves any, and drop them if the number has changed.  An even number means that
 * there is no generation, before the first draw or while a thread sets one up: bytes drawn under it must not be kept.
 *
 *     const uint64_t *number = cprng_generation_number();
 */
const uint64_t *cprng_generation_number(void);

/*
 * Disable the buffers until the calling process, a child that shares its parent's memory, calls execve(2) or exits.
 *
 * The caller is a child of vfork(2), or of clone(2) with CLONE_VM; with CLONE_VFORK too, unless its thread-local storage
 * is separate from its parent's.  It must call this before any other function of the library.  If a signal handler may
 * draw, the parent must block signals before it creates the child, and the child unblocks them after this call.
 *
 * Afterwards the child and its handlers may draw and fork.  Until the child calls execve(2) or exits, all draws in the
 * shared memory use the kernel's bytes, at about a microsecond each.  The parent makes no call.  A process that is forked
 * during this time never uses restartable sequences.  (POSIX allows a child of vfork only _exit(2) and exec.  Linux allows
 * more; this text describes only this library.)  Does nothing where there are no restartable sequences.
 *
 * Any number of such children may exist at a time.  Draws use the kernel's bytes permanently if the library cannot detect
 * the end of a child:
 *
 *   - the 65th child at a time;
 *   - a child created with CLONE_CHILD_CLEARTID;
 *   - a child that has already called this function of another copy of the library;
 *   - a thread or a forked child that calls this function by mistake;
 *   - where set_tid_address(2), or PR_GET_TID_ADDRESS of prctl(2), is refused.
 *
 * If the child is killed while it holds a lock, the parent may wait permanently, or abort.  The child holds locks in this
 * call, an invalidation, a reseed, a draw that finds the virtual machine cloned, and the functions of Fortuna.
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
 * Fill buf with len random bytes from the process's Fortuna (Ferguson, Schneier and Kohno, "Cryptography Engineering",
 * chapter 9).  For long-lived keys.  Takes some hundred nanoseconds; long requests run at the speed of the cipher.  len 0
 * does nothing.
 *
 * Fortuna gathers entropy from several sources (the kernel, instructions and timing of the CPU, the application) in 32
 * pools.  It recovers from a disclosure of its state even if an attacker controls most of the sources.
 *
 * The kernel's bytes are among the sources at the first call of each process, after a fork, and after
 * cprng_invalidate(); the call aborts if they are unavailable then.  A source that fails later is retired;
 * cprng_get_strong_info() reports this.
 *
 * Where a clone of the machine is reported (/dev/vmclock0, /dev/sysgenid, or the generation file of cprng(7)), each call
 * detects it and invalidates everything.  Clones that nothing reports differ from their first call on, by the CPU's random
 * number instruction and counter; where user code can read neither, they may give equal bytes for 200 ms.
 *
 * Signals are blocked for some hundred nanoseconds, or while up to 1 MiB is generated, so a handler never finds a key on
 * the stack.  If the handler of a signal that was pending then forks, the child reads the piece again.  SIGSEGV, SIGBUS,
 * SIGFPE, SIGILL, SIGTRAP and SIGSYS, which instructions raise, are not blocked: buf may be memory that a handler maps on
 * first access.
 *
 * Where pages cannot be wiped on a fork there are no pools: this function returns the kernel's bytes, and events and seed
 * files have no effect.
 *
 * From the first use of Fortuna on (this function, cprng_add_entropy() or cprng_seed_file()), the generator of the other
 * functions is reseeded from Fortuna as well as from the kernel, once a second on each CPU.
 *
 *     cprng_strong(master_key, sizeof(master_key));
 */
void cprng_strong(void *buf, size_t len);

/* The application numbers its sources from 0 to CPRNG_APPLICATION_SOURCES - 1, in any way. */
#define CPRNG_APPLICATION_SOURCES 128

/*
 * Add len bytes, at most 32, of an event that the application observed (arrival times, measurements, user input) to the
 * process's Fortuna.  `entropy_bits` is the number of bits that an attacker cannot know, at most 8 * len; 0 if in doubt.
 * It determines how soon the next reseed happens; no input weakens the output, whatever its entropy.  Never waits.  len 0
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
 * on != 0: readers of cprng_strong() generate under the lock, one after the other, as in the book; they release it after
 * each page of 4 KiB, with a new key.  0 (the default): readers generate outside the lock, in parallel.
 */
void cprng_strong_set_locked_reads(int on);

/*
 * Carry entropy across restarts in a seed file of 64 bytes, mode 0600: mix its content into the process's Fortuna, and
 * before returning replace it with bytes that are independent of what the process draws.  So no content is used twice.
 * The file is replaced atomically and synced to disk.  Not async-signal-safe.
 *
 * The file is locked with flock(2), which any process that can open it can also do.  So the call does not wait for the
 * lock of a file that other users can read or write: if that lock is taken, the call replaces the file without mixing the
 * old content.  For a file of mode 0600 it waits about ten seconds for each holder.
 *
 * Returns 0, or the sum of CPRNG_SEED_* if the old content was missing or unreliable (a new file has replaced it).
 * Returns an error, with nothing mixed and the file unchanged:
 *
 *   CPRNG_ERR_ARGUMENT     path is NULL or empty;
 *   CPRNG_ERR_FILE_TYPE    it is a symbolic link, a directory or a device, is too long, or has a second hard link;
 *   CPRNG_ERR_FILE_OWNER   it belongs neither to the caller nor to root;
 *   CPRNG_ERR_BUSY         its lock did not become free;
 *   CPRNG_ERR_SYSTEM       it cannot be read or replaced (a read-only file system or file); errno is set.  If the last
 *                          step, syncing the directory, fails, the new file is already in place.  On Windows before
 *                          version 1709 of 10, and on file systems that do not replace open files, the file may be
 *                          missing afterwards.
 */
int cprng_seed_file(const char *path) CPRNG_WARN_UNUSED;

enum cprng_seed_remark {
	CPRNG_SEED_MISSING = 1, /* there was no file */
	CPRNG_SEED_SHORT = 2,   /* it had fewer than 64 bytes */
	CPRNG_SEED_EXPOSED = 4, /* other users could read or write it */
	CPRNG_SEED_LOCKED = 8   /* another process held its lock, so it was not mixed; always with EXPOSED */
};

/*
 * A source of the process's Fortuna.  Names: "kernel", "cpu-seed" and "cpu-random" (instructions), "jitter",
 * "vm-generation", and "application" for all sources of the application.  States: "absent" on this machine, "starting",
 * "healthy", "retired" (it failed a health test or stopped answering); for "application", "used" or "unused".
 */
struct cprng_source_info {
	const char *name;
	const char *state;
	uint64_t events;  /* given to the pools, or accepted by the queue */
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
 * Fill *info, after a read that sets everything up.  size is sizeof(*info), as for cprng_get_info().  The length of
 * source[] never changes; later versions add fields after it.
 */
void cprng_get_strong_info(struct cprng_strong_info *info, size_t size);

/* ------------------------------------------------------------------------------------------------------- errors */

enum cprng_error {
	CPRNG_OK = 0,
	CPRNG_ERR_ENGINE = -1,       /* no engine of that name */
	CPRNG_ERR_KEY_SIZE = -2,     /* the engine does not take a key of that many bytes */
	CPRNG_ERR_NONCE_SIZE = -3,   /* the engine does not take a nonce of that many bytes */
	CPRNG_ERR_RANGE = -4,        /* past the end of the keystream or of 64-bit byte offsets */
	CPRNG_ERR_ENTROPY = -5,      /* the kernel's random numbers are unavailable */
	CPRNG_ERR_SELFTEST = -6,     /* no backend of the engine passes its known answers */
	CPRNG_ERR_ARGUMENT = -7,     /* a NULL pointer where data is needed, or a number out of range */
	CPRNG_ERR_SOURCE = -8,       /* no entropy source with that number */
	CPRNG_ERR_SIZE = -9,         /* too many bytes for an event, or too few for a seed */
	CPRNG_ERR_FULL = -10,        /* the harvest queue is full: the event was dropped */
	CPRNG_ERR_UNSEEDED = -11,    /* not reseeded yet, so there is no output */
	CPRNG_ERR_MEMORY = -12,      /* no memory */
	CPRNG_ERR_UNSUPPORTED = -13, /* pages cannot be wiped on a fork here */
	CPRNG_ERR_SYSTEM = -14,      /* a system call failed; see errno */
	CPRNG_ERR_FILE_TYPE = -15,   /* not a regular file */
	CPRNG_ERR_FILE_OWNER = -16,  /* the file belongs to another user */
	CPRNG_ERR_BUSY = -17,        /* another process holds the lock of the file */
	CPRNG_ERR_CHECKPOINT = -18   /* not a checkpoint of a stream, or an incomplete one */
};

/* Return a static string: a sentence without a full stop for the codes above, "unknown error" for others. */
const char *cprng_strerror(int error);

/* ------------------------------------------------------------------------------------------------------ queries */

/* Return the version of the linked library, "MAJOR.MINOR.PATCH", a static string. */
const char *cprng_version(void);

/* What serves the draws of this process.  All strings are static. */
struct cprng_info {
	const char *engine;          /* "aes256-ctr", "chacha20" */
	const char *backend;         /* "vaes512", "portable", ... */
	const char *placement;       /* "per-cpu" (restartable sequences), "slots" (claimed), "unbuffered" */
	const char *entropy;         /* "vdso-getrandom", "getrandom"; "getentropy", "ProcessPrng or RtlGenRandom" */
	const char *fork_guard;      /* "wipe-on-fork", "none-on-fork", "no fork", or "unbuffered" (no guard) */
	const char *memory_lock;     /* "locked", "refused", "none" (nothing is buffered) */
	uint32_t buffers;            /* their greatest number: one for each possible CPU, or slot; 0 when unbuffered */
	uint32_t state_bytes;        /* memory of a buffer in use, including its key and bookkeeping */
	uint32_t buffer_bytes;       /* the most random bytes that this memory holds */
	uint32_t refills_per_reseed; /* most refills between reseeds */
	uint32_t seconds_per_reseed; /* most seconds between reseeds by getrandom(2) */
	/* What reports a clone of the machine: some of "vmclock sysgenid generation-file", "fxrng", "seed version", or "none". */
	const char *announcements;
	const char *generation_file;       /* its name, whether it exists or not; "" if none is named */
	const char *generation_file_state; /* "mapped", "absent", "none", or "refused: " and the reason */
};

/*
 * Fill *info, after a draw that sets everything up.  info NULL does nothing.
 *
 * size is sizeof(*info), in all functions that take it: later versions append fields to these structures.  A library that
 * knows more fields than the caller writes those that fit into size bytes; a library that knows fewer sets the others to
 * zero.  A size of 0 writes nothing.
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
 * CPRNG_ERR_ARGUMENT if there is no such engine or info is NULL.
 */
int cprng_get_engine(unsigned int index, struct cprng_engine_info *info, size_t size) CPRNG_WARN_UNUSED;

/*
 * The library fills it and the callback only reads it, so later versions may append fields without a size: an older
 * callback ignores them.  A newer callback must check cprng_version() before it reads a newer field.
 */
struct cprng_selftest_result {
	const char *engine;
	const char *backend;
	int usable;   /* this CPU can run it */
	int selected; /* the engine uses it */
	int failed;   /* 0: passed, or not usable; else the number of the first known answer that failed */
};

/*
 * Test every engine on every compiled backend against its known answers, then the arithmetic of the distributions (engine
 * "numbers"), and report each in turn; report may be NULL.  Returns the number of usable backends that failed.  Takes
 * milliseconds.
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

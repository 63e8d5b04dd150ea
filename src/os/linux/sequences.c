/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences.  glibc 2.35 and later register each thread; elsewhere each thread that draws registers itself here
 * (docs/decisions/0036).  One binary supports both, because its references to glibc's symbols are weak.  The parts that depend on
 * the C library are sequences_glibc.c and sequences_other.c; sequences_none.c is for systems without sequences.
 */
#include "os/linux/sequences.h"
#ifdef CPRNG_SEQUENCES

#include "os/linux/sys.h"

#include <stddef.h>

#include <pthread.h>

/* include/uapi/linux/membarrier.h; older headers lack the last two. */
enum {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_RSEQ = 1 << 7,
	MEMBARRIER_REGISTER_RSEQ = 1 << 8,
};

#define CPU_UNINITIALIZED UINT32_MAX /* as int32_t: -1 */

/* ------------------------------------------------------------------------------------ registration by the library */

/*
 * Until its thread joins, an area contains no CPU number, so a sequence that begins too early fails.  cpu_id is the second of
 * four words, wherever the area begins in the room.
 */
#define NO_CPU 0, CPU_UNINITIALIZED, 0, 0
CPRNG_OS_THREAD_LOCAL struct cprng_os_own cprng_os_own = { .room = { NO_CPU, NO_CPU, NO_CPU } };

/* Of librseq; NULL without it.  librseq aborts if it cannot register a thread after it has registered another one. */
extern int rseq_register_current_thread(void) __attribute__((weak));

/*
 * Return true if the thread-local memory is the calling thread's own; a child of vfork(2) uses its parent's.  glibc and musl
 * derive a thread's clock from the thread number in this memory (kernel: CPUCLOCK_PID).
 */
static bool is_own_memory(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) == 0 && ~((long)clock >> 3) == cprng_sys_gettid();
}

/* EBUSY: this area is registered already, and the thread has set up its thread-local memory again since then. */
static bool register_own_area(void)
{
	struct cprng_os_area *area = cprng_os_own_area();
	long r;

	memset(area, 0, sizeof(*area));
	area->cpu_id = CPU_UNINITIALIZED;
	r = cprng_sys_rseq(area, CPRNG_RSEQ_REGISTER);
	return r == 0 || r == -EBUSY;
}

/*
 * Event:    a handler of the same thread draws in the middle.
 * Reason:   it would register the area a second time.
 * Pairing:  signals are blocked; the handler of a synchronous signal finds the state JOINING, and uses no sequence.
 *
 * The thread's end is prepared first, so that a registered area is always unregistered where that is necessary.  EINVAL and EPERM
 * mean that another library has registered its own area; this thread then never uses sequences.
 */
CPRNG_COLD bool cprng_os_join_sequences(void)
{
	struct cprng_os_signals saved;

	if (cprng_sequences_state_now() != CPRNG_OS_NEW)
		return cprng_sequences_state_now() == CPRNG_OS_JOINED;
	cprng_os_block_signals(&saved);
	if (cprng_sequences_state_now() == CPRNG_OS_NEW && !cprng_sequences_is_ending() && is_own_memory()) {
		cprng_sequences_set_state(CPRNG_OS_JOINING);
		cprng_sequences_set_state(cprng_sequences_prepare_for_end() && register_own_area() ? CPRNG_OS_JOINED :
												     CPRNG_OS_LEFT);
	}
	cprng_os_restore_signals(&saved);
	return cprng_sequences_state_now() == CPRNG_OS_JOINED;
}

/* --------------------------------------------------------------------------------------------- the user's choice */

enum { WANTED_UNKNOWN, WANTED_DEFAULT, WANTED_SLOTS, WANTED_OWN };

static uint8_t wanted;

/*
 * slots: for tests and comparisons, and when the user has disabled glibc's registration in favour of another library.  own: that
 * other library is this one.
 */
static uint8_t read_environment(void)
{
	const char *placement = cprng_sys_environment("CPRNG_PLACEMENT");
	const char *tunables = cprng_sys_environment("GLIBC_TUNABLES");

	if (placement != NULL && strcmp(placement, "slots") == 0)
		return WANTED_SLOTS;
	if (placement != NULL && strcmp(placement, "own") == 0)
		return WANTED_OWN;
	return tunables != NULL && strstr(tunables, "glibc.pthread.rseq=0") != NULL ? WANTED_SLOTS : WANTED_DEFAULT;
}

/* When the library is loaded: a later draw may run while another thread changes the environment. */
__attribute__((constructor)) static void look_at_load(void)
{
	if (wanted == WANTED_UNKNOWN)
		wanted = read_environment();
	if (wanted != WANTED_SLOTS && !cprng_sequences_libc_registers())
		(void)cprng_sequences_has_means();
}

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	long commands;

	/* A constructor of another object draws first. */
	if (wanted == WANTED_UNKNOWN)
		wanted = read_environment();
	if (wanted == WANTED_SLOTS)
		return false;
	/* If the C library registers threads, but has not registered this one, another library may have. */
	*offset = CPRNG_OS_OWN_AREAS;
	if (cprng_sequences_libc_registers() ? !cprng_sequences_registered_by_libc(offset) :
					       rseq_register_current_thread != NULL || !cprng_sequences_has_means())
		return false;
	/* Without this command (Linux 5.10) the buffers of other CPUs could not be erased. */
	commands = cprng_sys_membarrier(MEMBARRIER_QUERY);
	if (commands < 0 || !(commands & MEMBARRIER_RSEQ))
		return false;
	return *offset != CPRNG_OS_OWN_AREAS || cprng_os_join_sequences();
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	return cprng_sequences_area_at(offset);
}

CPRNG_HOT uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	return __atomic_load_n(&cprng_sequences_area_at(offset)->cpu_id_start, __ATOMIC_RELAXED);
}

long cprng_os_abort_sequences(void)
{
	long r = cprng_sys_membarrier(MEMBARRIER_RSEQ);

	if (r == 0)
		return 0;
	/* Not registered in this process image yet: registering costs milliseconds, so it waits until here. */
	r = cprng_sys_membarrier(MEMBARRIER_REGISTER_RSEQ);
	return r == 0 ? cprng_sys_membarrier(MEMBARRIER_RSEQ) : r;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences: as glibc registers them for each thread from 2.35 on, or registered here, by each thread that draws
 * (docs/decisions/0036).  One binary does either, because it refers to glibc's symbols weakly.
 */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/sys.h"
#include "os/os.h"
#include "os/own_area.h"

#include <stddef.h>

/* Where a thread pointer is known to every compiler, and thread-local memory to the dynamic linker. */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__) && !defined(__BIONIC__)

#include <pthread.h>

/* include/uapi/linux/membarrier.h; older headers lack the last two. */
enum {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_RSEQ = 1 << 7,
	MEMBARRIER_REGISTER_RSEQ = 1 << 8,
};

enum { REGISTER = 0, UNREGISTER = 1 };
#define CPU_UNINITIALIZED UINT32_MAX /* as int32_t: -1 */

/* ------------------------------------------------------------------------------------ registered by the library */

/*
 * Until it joins a thread is on no CPU, so that a sequence that it should not have begun refuses.  cpu_id is the second of four
 * words, wherever the area begins.
 */
#define NO_CPU 0, CPU_UNINITIALIZED, 0, 0
CPRNG_OS_THREAD_LOCAL struct cprng_os_own cprng_os_own = { .room = { NO_CPU, NO_CPU, NO_CPU } };

static void set_state(uint32_t state)
{
	__atomic_store_n(&cprng_os_own.state, state, __ATOMIC_RELAXED);
}

static uint32_t state_now(void)
{
	return __atomic_load_n(&cprng_os_own.state, __ATOMIC_RELAXED);
}

/* Of librseq, which ends the process if a thread cannot be registered after another one could.  NULL where it is absent. */
extern int rseq_register_current_thread(void) __attribute__((weak));

#ifdef __GLIBC__
#include <link.h>

extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/*
 * May threads register areas of this object?  In a program they may, static or with DT_DEBUG, and in a shared object that is
 * marked as staying loaded.  A plugin that can be unloaded would leave the kernel to write to its areas.
 */
static bool has_means(void)
{
	if (_DYNAMIC == NULL)
		return true;
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_DEBUG ||
		    (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0))
			return true;
	}
	return false;
}

/* glibc gives a thread's memory to no other use before the kernel has seen the thread's end: nothing unregisters. */
static bool prepare_for_end(void)
{
	return true;
}

static bool is_ending(void)
{
	return false;
}
#else
/* The key and 1; 0 until it is made, NO_KEY where there is none. */
static uint32_t the_key;
#define NO_KEY UINT32_MAX

static pthread_key_t key_of(uint32_t number)
{
	return (pthread_key_t)(number - 1);
}

/*
 * The end of a thread: a destructor of this key unregisters its area.  musl unmaps the memory of a detached thread before the
 * thread's last system call, and the kernel would write the area after that.
 *
 * After the destructor a thread never joins again: other destructors and signal handlers that draw then take the kernel's bytes.
 */
static void leave(void *unused)
{
	const bool joined = state_now() == CPRNG_OS_JOINED;
	long r;

	(void)unused;
	/* First: no sequence begins in a handler after this. */
	set_state(CPRNG_OS_LEFT);
	r = cprng_sys_rseq(cprng_os_own_area(), UNREGISTER);
	if (joined && r != 0)
		cprng_os_die("a thread that ends cannot be unregistered: rseq", r);
}

/*
 * Make the key, unless there is one: when the library is loaded, or at an earlier draw by another constructor.  musl unloads
 * nothing, and sets the values of all keys without allocating memory.
 */
static bool has_means(void)
{
	uint32_t number = __atomic_load_n(&the_key, __ATOMIC_ACQUIRE), made;
	pthread_key_t key;

	if (number == 0) {
		made = pthread_key_create(&key, leave) == 0 ? (uint32_t)key + 1 : NO_KEY;
		if (__atomic_compare_exchange_n(&the_key, &number, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			number = made;
		else if (made != NO_KEY)
			(void)pthread_key_delete(key_of(made));
	}
	return number != NO_KEY;
}

static bool prepare_for_end(void)
{
	return pthread_setspecific(key_of(__atomic_load_n(&the_key, __ATOMIC_ACQUIRE)), &cprng_os_own) == 0;
}

/*
 * Could the thread be past the destructors of its keys?  From the beginning of its end on musl keeps cancellation disabled.  A
 * thread that has disabled it for another reason joins later.  Signals are blocked.
 */
static bool is_ending(void)
{
	int before = PTHREAD_CANCEL_DISABLE;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	(void)pthread_setcancelstate(before, NULL);
	return before == PTHREAD_CANCEL_DISABLE;
}
#endif

/*
 * Does the thread-local memory belong to the calling thread?  A child of vfork(2) has its parent's.  Both C libraries make the
 * clock of a thread out of the number that this memory has (kernel: CPUCLOCK_PID).
 */
static bool is_own_memory(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) == 0 && ~((long)clock >> 3) == cprng_sys_gettid();
}

/* EBUSY: this area is registered already, by a draw whose thread has set up its thread-local memory again since. */
static bool register_own_area(void)
{
	struct cprng_os_area *area = cprng_os_own_area();
	long r;

	memset(area, 0, sizeof(*area));
	area->cpu_id = CPU_UNINITIALIZED;
	r = cprng_sys_rseq(area, REGISTER);
	return r == 0 || r == -EBUSY;
}

/*
 * Event:    a handler of the same thread draws in the middle.
 * Reason:   it would register the area a second time.
 * Pairing:  signals are blocked; the handler of a synchronous one finds it joining, and does without.
 *
 * The end is prepared first: an area that is registered is always unregistered where that is necessary.  EINVAL and EPERM:
 * another library has registered an area of its own, so the thread does without for good.
 */
CPRNG_COLD bool cprng_os_join_sequences(void)
{
	struct cprng_os_signals saved;

	if (state_now() != CPRNG_OS_NEW)
		return state_now() == CPRNG_OS_JOINED;
	cprng_os_block_signals(&saved);
	if (state_now() == CPRNG_OS_NEW && !is_ending() && is_own_memory()) {
		set_state(CPRNG_OS_JOINING);
		set_state(prepare_for_end() && register_own_area() ? CPRNG_OS_JOINED : CPRNG_OS_LEFT);
	}
	cprng_os_restore_signals(&saved);
	return state_now() == CPRNG_OS_JOINED;
}

/* ---------------------------------------------------------------------------------- registered by the C library */

static const struct cprng_os_area *area_at(ptrdiff_t offset)
{
	if (offset == CPRNG_OS_OWN_AREAS)
		return cprng_os_own_area();
	return (const void *)((const char *)__builtin_thread_pointer() + offset);
}

#ifdef __GLIBC__
extern const ptrdiff_t libc_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned int libc_size __asm__("__rseq_size") __attribute__((weak));

/* The size is 0 when glibc did not register (tunable, valgrind, old kernel), and then the area may hold anything. */
static bool libc_registers(void)
{
	return &libc_offset != NULL && &libc_size != NULL && libc_size != 0;
}

static bool registered_by_libc(ptrdiff_t *offset)
{
	if ((int32_t)__atomic_load_n(&area_at(libc_offset)->cpu_id, __ATOMIC_RELAXED) < 0)
		return false;
	*offset = libc_offset;
	return true;
}
#else
static bool libc_registers(void)
{
	return false;
}

static bool registered_by_libc(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}
#endif

/* ------------------------------------------------------------------------------------------------- what is wanted */

enum { WANTED_UNKNOWN, WANTED_DEFAULT, WANTED_SLOTS, WANTED_OWN };

static uint8_t wanted;

/*
 * slots: for tests, and comparisons.  Also where the user makes glibc leave the registration to another library, unless that one
 * is this: own.
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

/* At load: a draw may come in a thread or handler while another thread changes the environment. */
__attribute__((constructor)) static void look_at_load(void)
{
	if (wanted == WANTED_UNKNOWN)
		wanted = read_environment();
	if (wanted != WANTED_SLOTS && !libc_registers())
		(void)has_means();
}

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	long commands;

	/* A draw by the constructor of another object. */
	if (wanted == WANTED_UNKNOWN)
		wanted = read_environment();
	if (wanted == WANTED_SLOTS)
		return false;
	/* Where the C library registers threads, but not this one, another library may have its area. */
	*offset = CPRNG_OS_OWN_AREAS;
	if (libc_registers() ? !registered_by_libc(offset) : rseq_register_current_thread != NULL || !has_means())
		return false;
	/* Without this command (Linux 5.10) the buffers of other CPUs could never be erased. */
	commands = cprng_sys_membarrier(MEMBARRIER_QUERY);
	if (commands < 0 || !(commands & MEMBARRIER_RSEQ))
		return false;
	return *offset != CPRNG_OS_OWN_AREAS || cprng_os_join_sequences();
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	return area_at(offset);
}

CPRNG_HOT uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	return __atomic_load_n(&area_at(offset)->cpu_id_start, __ATOMIC_RELAXED);
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

#else

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

CPRNG_OS_THREAD_LOCAL struct cprng_os_own cprng_os_own;

bool cprng_os_join_sequences(void)
{
	return false;
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	(void)offset;
	return NULL;
}

CPRNG_HOT uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	(void)offset;
	return 0;
}

long cprng_os_abort_sequences(void)
{
	return -ENOSYS;
}

#endif

#endif

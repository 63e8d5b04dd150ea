/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * macOS cannot zero pages in a forked child.  Instead, VM_INHERIT_NONE of minherit(2) leaves the pages out of the child, however
 * the child is created, and a pthread_atfork(3) handler maps zeroed pages at their addresses.  In a child created by a bare
 * system call, without these handlers, the first draw faults and repeats nothing.
 *
 * Until the handler runs, those addresses are free in the child.  So the pages are mapped in a range where the system does not
 * place mappings by itself, and a child that finds other memory there aborts.
 */
#include "os/unix/bsd.h"
#ifdef CPRNG_BSD_MACOS

#include "os/os.h"
#include "os/unix/calls.h"

#include <dlfcn.h>
#include <mach/vm_inherit.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <sys/sysctl.h>

const char cprng_os_fork_guard[] = "none-on-fork";

/* --------------------------------------------------------------------------------- ranges that are missing in a child */

/* In memory that the child inherits.  Lock-free, because a signal handler could not wait for a lock. */
struct absent {
	uintptr_t begin; /* 0: this entry is free */
	size_t len;      /* 0: not missing in a child yet */
};

struct absent_block {
	struct absent_block *next;
	struct absent entry[64];
};
static struct absent_block first_block;

static struct absent *find(uintptr_t begin)
{
	for (struct absent_block *b = &first_block; b != NULL; b = __atomic_load_n(&b->next, __ATOMIC_ACQUIRE))
		for (size_t i = 0; i < CPRNG_ARRAY_SIZE(b->entry); i++)
			if (__atomic_load_n(&b->entry[i].begin, __ATOMIC_ACQUIRE) == begin)
				return &b->entry[i];
	return NULL;
}

static struct absent_block *add_block(void)
{
	struct absent_block *const added = cprng_os_map(sizeof(*added)), **last = &first_block.next, *expected = NULL;

	if (added == NULL)
		return NULL;
	while (!__atomic_compare_exchange_n(last, &expected, added, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		last = &expected->next;
		expected = NULL;
	}
	return added;
}

/* Return the entry of the range that begins at this address, added if there is none; NULL without memory. */
static struct absent *record(uintptr_t begin)
{
	struct absent *a = find(begin);
	uintptr_t none;

	while (a == NULL) {
		none = 0;
		a = find(0);
		if (a == NULL && add_block() == NULL)
			return NULL;
		if (a != NULL &&
		    !__atomic_compare_exchange_n(&a->begin, &none, begin, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			a = NULL;
	}
	return a;
}

static void forget(struct absent *a)
{
	__atomic_store_n(&a->len, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&a->begin, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------------------------------- the handlers */

static void *map(void *at, size_t len)
{
	void *const p = mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Signals of the forking thread are blocked, so no handler in the child draws before its pages are mapped. */
static __thread struct cprng_os_signals signals;

static void prepare(void)
{
	cprng_os_block_signals(&signals);
}

static void in_parent(void)
{
	cprng_os_restore_signals(&signals);
}

static void in_child(void)
{
	const int saved_errno = errno;

	for (struct absent_block *b = &first_block; b != NULL; b = b->next)
		for (size_t i = 0; i < CPRNG_ARRAY_SIZE(b->entry); i++) {
			void *const at = (void *)b->entry[i].begin;
			const size_t len = b->entry[i].len;

			if (len == 0)
				continue;
			/* Not MAP_FIXED: that would replace other mappings. */
			if (map(at, len) != at || minherit(at, len, VM_INHERIT_NONE) != 0)
				cprng_os_die("a forked child cannot have its pages where its parent had them", 0);
		}
	cprng_bsd_begin_child();
	errno = saved_errno;
	cprng_os_restore_signals(&signals);
}

enum { UNREGISTERED, REGISTERING, REGISTERED, REFUSED };

/*
 * Also false in a signal handler or another thread that calls this during the registration; the constructor makes that
 * improbable.
 */
static bool has_handlers(void)
{
	static uint32_t state;
	uint32_t now = UNREGISTERED;
	Dl_info image;

	if (__atomic_compare_exchange_n(&state, &now, REGISTERING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		now = pthread_atfork(prepare, in_parent, in_child) == 0 ? REGISTERED : REFUSED;
		/* The handlers stay registered after a program closes the library, so keep the library loaded. */
		if (dladdr(&first_block, &image) != 0)
			(void)dlopen(image.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		__atomic_store_n(&state, now, __ATOMIC_RELEASE);
	}
	return now == REGISTERED;
}

__attribute__((constructor)) static void register_handlers(void)
{
	(void)has_handlers();
}

/* ------------------------------------------------------------------------------------------------------- memory */

/*
 * Return a random address from 48 TiB on, because the system and its allocators begin at the low end and at 96 TiB.  It is one of
 * 2^28 pages, as for other mappings.  A system without such addresses (iOS) chooses another one.
 */
static void *place(void)
{
	uint32_t random = 0;

	if (sizeof(void *) < 8 || cprng_os_entropy(&random, sizeof(random)) != 0)
		return NULL;
	return (void *)(uintptr_t)((UINT64_C(3) << 44) + (uint64_t)(random >> 4) * cprng_os_page_size());
}

void *cprng_os_map(size_t len)
{
	const int saved_errno = errno;
	void *const p = map(place(), len);

	errno = saved_errno;
	return p;
}

void cprng_os_unmap(void *p, size_t len)
{
	const uintptr_t begin = (uintptr_t)p;

	for (struct absent_block *b = &first_block; b != NULL; b = __atomic_load_n(&b->next, __ATOMIC_ACQUIRE))
		for (size_t i = 0; i < CPRNG_ARRAY_SIZE(b->entry); i++)
			if (__atomic_load_n(&b->entry[i].begin, __ATOMIC_ACQUIRE) - begin < len)
				forget(&b->entry[i]);
	(void)CPRNG_QUIET(munmap(p, len));
}

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	struct cprng_os_signals saved;
	struct absent *a;
	int r;

	if (!has_handlers() || CPRNG_QUIET(minherit(p, len, CPRNG_NO_INHERITANCE)) == 0)
		return false;
	a = record((uintptr_t)p);
	if (a == NULL)
		return false;
	/*
	 * Event:    a fork between minherit() and the store of the length.
	 * Reason:   in_child() maps the recorded pages, and aborts in a child that still has them.
	 * Pairing:  the length is stored last.  So a child that another thread forks in between lacks the pages, but nothing
	 *           in it refers to them.  A handler of this thread, whose child would continue here, is blocked.
	 */
	cprng_os_block_signals(&saved);
	r = CPRNG_QUIET(minherit(p, len, VM_INHERIT_NONE));
	if (r == 0)
		__atomic_store_n(&a->len, len, __ATOMIC_RELEASE);
	else if (a->len == 0)
		forget(a);
	cprng_os_restore_signals(&saved);
	return r == 0;
}

/* ------------------------------------------------------------------------------------------------------ waiting */

/*
 * The functions of macOS 14.4.  They are weak, since the program may run on an older system; an SDK without their header does not
 * have them.
 */
#if __has_include(<os/os_sync_wait_on_address.h>)
int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags) __attribute__((weak));
int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags) __attribute__((weak));
#else
#define os_sync_wait_on_address ((int (*)(void *, uint64_t, size_t, uint32_t))NULL)
#define os_sync_wake_by_address_any ((int (*)(void *, size_t, uint32_t))NULL)
#endif

/* Functions of older systems, which no header declares; libc++ uses them as well. */
int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t microseconds);
int __ulock_wake(uint32_t operation, void *word, uint64_t unused);
#define COMPARE_AND_WAIT 1

void cprng_os_wait(uint32_t *word, uint32_t value)
{
	if (os_sync_wait_on_address != NULL)
		(void)CPRNG_QUIET(os_sync_wait_on_address(word, value, sizeof(*word), 0));
	else
		(void)CPRNG_QUIET(__ulock_wait(COMPARE_AND_WAIT, word, value, 0));
}

void cprng_os_wake(uint32_t *word)
{
	if (os_sync_wake_by_address_any != NULL)
		(void)CPRNG_QUIET(os_sync_wake_by_address_any(word, sizeof(*word), 0));
	else
		(void)CPRNG_QUIET(__ulock_wake(COMPARE_AND_WAIT, word, 0));
}

/* ------------------------------------------------------------------------------------------------------ the CPU */

/* macOS 12 has a name for each feature instead of capability words; this is the bit of AES in Linux's word. */
#define HWCAP_AES (1ul << 3)

unsigned long cprng_port_hwcap(unsigned int word)
{
	int found = 0;
	size_t len = sizeof(found);

	if (word != 1 || CPRNG_QUIET(sysctlbyname("hw.optional.arm.FEAT_AES", &found, &len, NULL, 0)) != 0)
		return 0;
	return len == sizeof(found) && found == 1 ? HWCAP_AES : 0;
}

#endif

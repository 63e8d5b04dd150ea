/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BSDs share and POSIX lacks: minherit(2), which makes a fork zero pages; the first thread; the number of CPUs. */
#include "os/unix/bsd.h"
#ifdef CPRNG_BSD

#include "os/os.h"
#include "os/unix/calls.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#if __has_include(<pthread_np.h>)
#include <pthread_np.h>
#endif
#if __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#endif

/* FreeBSD's name for it. */
#if !defined(MAP_INHERIT_ZERO) && defined(INHERIT_ZERO)
#define MAP_INHERIT_ZERO INHERIT_ZERO
#endif

#ifndef CPRNG_BSD_MACOS
const char cprng_os_fork_guard[] = "wipe-on-fork";

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
#ifdef MAP_INHERIT_ZERO
	if (CPRNG_QUIET(minherit(p, len, CPRNG_NO_INHERITANCE)) == 0 ||
	    CPRNG_QUIET(minherit(p, len, MAP_INHERIT_ZERO)) != 0)
		return false;
#ifdef MADV_NOCORE
	/* Best effort: no promise depends on it.  OpenBSD has MAP_CONCEAL instead (system.c). */
	(void)CPRNG_QUIET(madvise(p, len, MADV_NOCORE));
#endif
	return true;
#else
	(void)p;
	(void)len;
	return false;
#endif
}
#endif

#ifdef __NetBSD__
/* NetBSD has no function for this: claims of the parent's other threads stay, and a child loses their slots. */
bool cprng_os_is_first_thread(void)
{
	return false;
}
#else
/*
 * In a forked child: the thread that forked; 0 in other processes.  pthread_main_np(3) cannot replace it: in a child it still
 * reports the program's first thread, which does not exist there if another thread forked (libthr, rthread, Apple's libpthread).
 *
 * A child created without running the handlers keeps its parent's value, so no other thread counts as the first one there.
 */
static uintptr_t forked;

void cprng_bsd_begin_child(void)
{
	__atomic_store_n(&forked, cprng_os_this_thread(), __ATOMIC_RELAXED);
}

bool cprng_os_is_first_thread(void)
{
	const uintptr_t first = __atomic_load_n(&forked, __ATOMIC_RELAXED);

	return first != 0 ? first == cprng_os_this_thread() : pthread_main_np() == 1;
}

#ifndef CPRNG_BSD_MACOS
/* FreeBSD and OpenBSD remove the handler when they unload the library. */
__attribute__((constructor)) static void register_handler(void)
{
	(void)pthread_atfork(NULL, NULL, cprng_bsd_begin_child);
}
#endif
#endif

uint32_t cprng_os_cpu_limit(void)
{
	const long n = CPRNG_QUIET(sysconf(_SC_NPROCESSORS_CONF));

	return n > 0 && n <= (long)INT32_MAX ? (uint32_t)n : 0;
}

#ifndef CPRNG_BSD_MACOS
/* elf_aux_info(3) of FreeBSD 12 and OpenBSD 7.6; the bits are those of Linux (<machine/elf.h>).  NetBSD has no such words. */
unsigned long cprng_port_hwcap(unsigned int word)
{
	unsigned long bits = 0;

#ifdef AT_HWCAP2
	if (elf_aux_info(word == 1 ? AT_HWCAP : AT_HWCAP2, &bits, sizeof(bits)) != 0)
		return 0;
#else
	(void)word;
#endif
	return bits;
}
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for what only Linux has, and for announcements of clones, which FreeBSD and Windows have too. */
#include "os/unix/bsd.h"
#if !defined(__linux__) || defined(CPRNG_POSIX)

#include "os/os.h"
#include "os/unix/calls.h"

const char cprng_os_vdso_name[] = "none";

void cprng_os_use_small_pages(void *p, size_t len)
{
	(void)p;
	(void)len;
}

long cprng_os_get_exit_word(uint32_t **word)
{
	*word = NULL;
	return -ENOSYS;
}

long cprng_os_set_exit_word(uint32_t *word)
{
	(void)word;
	return -ENOSYS;
}

void cprng_os_vdso_open(struct cprng_os_vdso *e, uint32_t states)
{
	(void)states;
	*e = (struct cprng_os_vdso){ 0 };
}

void cprng_os_vdso_close(struct cprng_os_vdso *e)
{
	(void)e;
}

bool cprng_os_vdso_read(const struct cprng_os_vdso *e, uint32_t state, void *buf, size_t len)
{
	(void)e;
	(void)state;
	(void)buf;
	(void)len;
	return false;
}

void cprng_os_vdso_wipe(const struct cprng_os_vdso *e, uint32_t state)
{
	(void)e;
	(void)state;
}

#if !defined(CPRNG_BSD_FREEBSD) && !defined(_WIN32)
const bool cprng_os_vm_shows_reseeds = false;

const struct cprng_os_announcements *cprng_os_find_announcements(void)
{
	return NULL;
}

uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a)
{
	(void)a;
	return 0;
}

bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation)
{
	(void)a;
	(void)generation;
	return false;
}

struct cprng_os_announced cprng_os_announced(void)
{
	return (struct cprng_os_announced){ "none", "", "none" };
}
#endif

#ifndef CPRNG_BSD
/* If user code cannot read a CPU's features, only those that its whole architecture has are used. */
unsigned long cprng_port_hwcap(unsigned int word)
{
	(void)word;
	return 0;
}
#endif

bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What POSIX does not have.  The library then keeps nothing that a fork would copy: every draw is made of fresh bytes of the
 * system (src/process/placement/unbuffered.c).
 */
#if !defined(__linux__) || defined(CPRNG_POSIX)

#include "os/os.h"
#include "os/unix/calls.h"

const char cprng_os_user_entropy_name[] = "none";

/* A forked child has a copy of all memory.  pthread_atfork(3) is no help: a child of vfork(2) or _Fork(3) runs no handler. */
bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

void cprng_os_use_small_pages(void *p, size_t len)
{
	(void)p;
	(void)len;
}

bool cprng_os_is_first_thread(void)
{
	return false;
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

uint32_t cprng_os_cpu_limit(void)
{
	return 0;
}

void cprng_os_user_entropy_open(struct cprng_os_user_entropy *e, uint32_t states)
{
	(void)states;
	*e = (struct cprng_os_user_entropy){ 0 };
}

void cprng_os_user_entropy_close(struct cprng_os_user_entropy *e)
{
	(void)e;
}

bool cprng_os_user_entropy_read(const struct cprng_os_user_entropy *e, uint32_t state, void *buf, size_t len)
{
	(void)e;
	(void)state;
	(void)buf;
	(void)len;
	return false;
}

void cprng_os_user_entropy_wipe(const struct cprng_os_user_entropy *e, uint32_t state)
{
	(void)e;
	(void)state;
}

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

#ifdef __linux__
CPRNG_OS_THREAD_LOCAL struct cprng_os_own cprng_os_own;
#endif

bool cprng_os_join_sequences(void)
{
	return false;
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	(void)offset;
	return NULL;
}

uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	(void)offset;
	return 0;
}

long cprng_os_abort_sequences(void)
{
	return -ENOSYS;
}

const struct cprng_os_announcements *cprng_os_vm_page(void)
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

/* The CPU's capability words are an extension of Linux.  A CPU whose registers do not report features runs portable code. */
unsigned long cprng_port_hwcap(unsigned int word)
{
	(void)word;
	return 0;
}

bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}

#endif

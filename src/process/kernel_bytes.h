/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of the operating system's generator, into the library's memory or the caller's, which may not be mapped yet. */
#ifndef CPRNG_PROCESS_KERNEL_BYTES_H
#define CPRNG_PROCESS_KERNEL_BYTES_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/* Reserve the memory of the vDSO's generator: part of the set-up of the process, before it is published. */
void cprng_kernel_bytes_set_up(struct cprng_process *p);

/*
 * Fill buf with len <= 256 bytes that no other draw has, by the vDSO's generator if the system has one (os.h), otherwise by
 * system call, or abort with a message.  Blocks until the system's generator is seeded.
 *
 * Not for recovery from a disclosure: the vDSO expands these bytes from a key in this process's own memory, which Linux replaces
 * at most once a minute, so an attacker that has read all of the memory knows them.
 */
void cprng_kernel_bytes_by_vdso(struct cprng_process *p, void *buf, size_t len);

/*
 * The same for any len, only by system call: bytes that the process's memory does not determine.  buf is in the library's own
 * memory: in the application's, the kernel would refuse a page that the application's signal handler has yet to map.
 */
void cprng_kernel_bytes_by_call(void *buf, size_t len);

const char *cprng_kernel_bytes_name(const struct cprng_process *p);

/* ------------------------------------------------------------------------------------------------ the caller's memory */

/* It may have no page yet: then a handler for SIGSEGV is called, which maps the page, forks, or jumps away. */

/*
 * Write to each page of buf, which the caller is about to fill, so that such a handler runs before there is a key in
 * registers.  No promise rests on it, because another thread may unmap the page again.  len > 0.
 */
CPRNG_INLINE void cprng_touch_pages(uint8_t *buf, size_t len)
{
	/* No page is smaller. */
	for (size_t i = 0; i < len; i += 4096)
		*(volatile uint8_t *)&buf[i] = 0;
	*(volatile uint8_t *)&buf[len - 1] = 0;
}

/* Read from each page of buf, for the same reason.  len > 0. */
CPRNG_INLINE void cprng_touch_source_pages(const uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i += 4096)
		(void)*(const volatile uint8_t *)&buf[i];
	(void)*(const volatile uint8_t *)&buf[len - 1];
}

/*
 * Fill dst with len bytes by system calls.  The kernel writes to memory of the library first: it would report a page that
 * such a handler has yet to map as an error.
 */
void cprng_kernel_bytes_to_caller(uint8_t *dst, size_t len);

CPRNG_END_DECLARATIONS

#endif

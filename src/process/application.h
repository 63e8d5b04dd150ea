/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the application may have no page yet: a handler for SIGSEGV maps it, forks, or jumps away. */
#ifndef CPRNG_PROCESS_APPLICATION_H
#define CPRNG_PROCESS_APPLICATION_H

#include "core/port.h"

/*
 * Write to each page of buf, which a read will fill, so that such a handler is called before there is a key in registers.
 * That is the rule and not a promise: another thread may take the page away again.  len > 0.
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
 * Fill dst, memory of the application, with len bytes of the operating system by system calls.  The kernel writes to
 * memory of the library first: it would report a page that the application's handler for SIGSEGV has yet to map as an
 * error.
 */
void cprng_application_fill(uint8_t *dst, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#if !defined(_WIN32) && !defined(__wasi__)

#include "os/os.h"
#include "os/unix/calls.h"

#include <stdlib.h>
#include <unistd.h>

void cprng_os_end(const char *line, size_t len)
{
	/* Not write(3), a cancellation point: a thread that ended there would leave the process running. */
	cprng_sys_write(STDERR_FILENO, line, len);
	abort();
}

#endif

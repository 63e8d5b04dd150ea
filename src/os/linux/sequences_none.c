/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for systems without restartable sequences: not Linux, or a CPU or C library that lacks them. */
#include "os/linux/sequences.h"
#ifndef CPRNG_SEQUENCES

#include "os/os.h"

#include <errno.h>

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

#ifdef __linux__
#include "os/own_area.h"

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

#endif

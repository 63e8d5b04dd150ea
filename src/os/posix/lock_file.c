/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks of open file descriptions (POSIX.1-2024): unlike the older locks of a process, they exclude two threads of one
 * process from each other, and no close of another descriptor releases them.
 */
/* For F_OFD_SETLK, which some C libraries count among their extensions still. */
#define _GNU_SOURCE

#include "os/os.h"
#include "os/unix/calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static long set_lock(int fd, short type)
{
	struct flock whole_file = { .l_type = type, .l_whence = SEEK_SET };

	int cancel_state;
	long r;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	r = CPRNG_QUIET(fcntl(fd, F_OFD_SETLK, &whole_file));
	(void)pthread_setcancelstate(cancel_state, &cancel_state);
	return r;
}

long cprng_os_try_lock_file(int fd)
{
	long r;

	do
		r = set_lock(fd, F_WRLCK);
	while (r == -EINTR);
	return r == -EACCES || r == -EAGAIN ? -EWOULDBLOCK : r;
}

void cprng_os_unlock_file(int fd)
{
	(void)set_lock(fd, F_UNLCK);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/linux/sys.h"
#include "os/os.h"

#include <sys/file.h>

long cprng_os_try_lock_file(int fd)
{
	long r;

	do
		r = cprng_sys_flock(fd, LOCK_EX | LOCK_NB);
	while (r == -EINTR);
	return r;
}

void cprng_os_unlock_file(int fd)
{
	(void)cprng_sys_flock(fd, LOCK_UN);
}

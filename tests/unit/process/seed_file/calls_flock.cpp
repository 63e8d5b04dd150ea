// SPDX-License-Identifier: BSD-2-Clause
// Locks of the seed file by flock(2), for platforms that use it.
#include "calls.hpp"
#include "../../../support/replace.hpp"

#include <sys/file.h>

REPLACE(long, cprng_sys_flock, (int fd, int operation))
{
	const long instead = calls::enter(operation == LOCK_UN ? "unlock" : "flock");

	return instead != 0 ? instead : __real_cprng_sys_flock(fd, operation);
}

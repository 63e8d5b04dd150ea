// SPDX-License-Identifier: BSD-2-Clause
// Locks of the seed file by fcntl(2), for platforms that use it.  The tests call them "flock", too.
#include "calls.hpp"

#include <cerrno>

#include <fcntl.h>

extern "C" int __real_fcntl(int fd, int command, ...);
extern "C" int __wrap_fcntl(int fd, int command, struct flock *lock);

// This program's other commands are no locks.
int __wrap_fcntl(int fd, int command, struct flock *lock)
{
	if (command != F_OFD_SETLK)
		return __real_fcntl(fd, command, lock);
	const long instead = calls::enter(lock->l_type == F_UNLCK ? "unlock" : "flock");

	if (instead == 0)
		return __real_fcntl(fd, command, lock);
	errno = static_cast<int>(-instead);
	return -1;
}

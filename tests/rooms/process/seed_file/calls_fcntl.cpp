// SPDX-License-Identifier: BSD-2-Clause
// Locks of the seed file where they are those of fcntl(2).  To the tests they have the name "flock", too.
#include "calls.hpp"

#include <cerrno>

#include <fcntl.h>

extern "C" int __real_fcntl(int fd, int command, ...);
extern "C" int __wrap_fcntl(int fd, int command, struct flock *lock);

// Other commands of this program pass no lock.
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

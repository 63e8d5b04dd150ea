// SPDX-License-Identifier: BSD-2-Clause
// File locks by fcntl(2).
#include "fake_os.hpp"

#include <cstdarg>

#include <fcntl.h>

// This program's other fcntl commands are not locks.
REPLACE(int, fcntl, (int fd, int command, ...))
{
	if (command == F_GETFL)
		return __real_fcntl(fd, command);
	va_list more;
	va_start(more, command);
	auto *const lock = va_arg(more, struct flock *);
	va_end(more);
	if (command != F_OFD_SETLK)
		return __real_fcntl(fd, command, lock);
	const auto real = [=](int) { return __real_fcntl(fd, command, lock) < 0 ? -long{ errno } : 0; };
	const long r = lock->l_type == F_UNLCK ? fake_os.unlock(real, fd) : fake_os.lock(real, fd);
	if (r >= 0)
		return 0;
	errno = static_cast<int>(-r);
	return -1;
}

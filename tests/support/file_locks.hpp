// SPDX-License-Identifier: BSD-2-Clause
// File locks as other programs take them, by flock(2) and as open file description locks.  Each implementation of os.h uses
// one of the two.
#ifndef CPRNG_TESTS_FILE_LOCKS_HPP
#define CPRNG_TESTS_FILE_LOCKS_HPP

#include <fcntl.h>
#include <sys/file.h>

namespace file_locks {

// type: F_RDLCK, F_WRLCK (fd is open for writing), F_UNLCK.  Returns false while another opener holds a lock.
inline bool set(int fd, short type)
{
	const int operation = type == F_UNLCK ? LOCK_UN : type == F_RDLCK ? LOCK_SH : LOCK_EX;
	struct flock whole_file = {};

	whole_file.l_type = type;
	whole_file.l_whence = SEEK_SET;
	if (flock(fd, operation | LOCK_NB) != 0)
		return false;
	if (fcntl(fd, F_OFD_SETLK, &whole_file) == 0)
		return true;
	flock(fd, LOCK_UN);
	return false;
}

} // namespace file_locks

#endif

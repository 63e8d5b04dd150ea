// SPDX-License-Identifier: BSD-2-Clause
//
// Forks in Java's process.  The child draws through the address that Java has of cprng_fast, and exits.
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cprng/cprng.h>

_Static_assert(sizeof(cprng_stream) == 1600 && _Alignof(cprng_stream) == 64, "as KeyedStream has it");

/* Stores the child's draw in child, and a later draw of the parent in parent.  Returns 0, or -1. */
int forked_draw(void (*fast)(void *, size_t), void *parent, void *child, size_t len)
{
	unsigned char *shared = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -1;
	pid = fork();
	if (pid == 0) {
		fast(shared, len);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0) {
		fast(parent, len);
		__builtin_memcpy(child, shared, len);
	}
	munmap(shared, len);
	return status == 0 ? 0 : -1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of mmap(2) that tests use on Windows. */
#ifndef CPRNG_TESTS_WINDOWS_MMAN_H
#define CPRNG_TESTS_WINDOWS_MMAN_H

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void *)-1)

/* Supports only private memory. */
static inline void *mmap(void *at, size_t len, int, int, int, int)
{
	void *p = VirtualAlloc(at, len, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

	return p != NULL ? p : MAP_FAILED;
}

static inline int munmap(void *p, size_t)
{
	return VirtualFree(p, 0, MEM_RELEASE) ? 0 : -1;
}

#endif

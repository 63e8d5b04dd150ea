/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares each call with the kernel's own, by syscall(2) with the same arguments: result, errno, and the written
 * bytes. Prints differences, and the number of comparisons.
 */
#define _GNU_SOURCE
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	UNTOUCHED = 77,
	PAGES = 6, /* inaccessible, two writable, inaccessible, one writable, one read-only */
	GIB = 1 << 30,
	LONGEST_READ = 0x7fff0000, /* devices.c */
};

/* With _FORTIFY_SOURCE, read calls this. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t size);

static size_t page;
static unsigned char *area, *high; /* high: a page less than 1 GiB below the end of the address space */
static unsigned long compared, served;
static int device, random_device;

struct place {
	const char *name;
	unsigned char *at;
	size_t room; /* bytes that can be written */
};

/* Invalid arguments on purpose. */
#pragma GCC diagnostic ignored "-Wnonnull"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* ------------------------------------------------------------------------------------------------------- the calls */

/* Each by its function, or as it is by syscall(2). */
static ssize_t call_random(void *p, size_t len, bool raw)
{
	return raw ? syscall(SYS_getrandom, p, len, 0) : getrandom(p, len, 0);
}

static ssize_t call_random_nonblock(void *p, size_t len, bool raw)
{
	const unsigned int flags = GRND_NONBLOCK | GRND_RANDOM;

	return raw ? syscall(SYS_getrandom, p, len, flags) : getrandom(p, len, flags);
}

static ssize_t read_device(void *p, size_t len, bool raw)
{
	return raw ? syscall(SYS_read, device, p, len) : read(device, p, len);
}

static ssize_t read_checked(void *p, size_t len, bool raw)
{
	return raw ? syscall(SYS_read, device, p, len) : __read_chk(device, p, len, (size_t)-1);
}

static ssize_t read_random_device(void *p, size_t len, bool raw)
{
	return raw ? syscall(SYS_read, random_device, p, len) : read(random_device, p, len);
}

static ssize_t read_at(void *p, size_t len, bool raw)
{
	return raw ? syscall(SYS_pread64, device, p, len, (off_t)5) : pread(device, p, len, 5);
}

/* The second part is under test. */
static ssize_t read_pieces(void *p, size_t len, bool raw)
{
	unsigned char first[3];
	const struct iovec pieces[] = { { first, sizeof(first) }, { p, len } };

	return raw ? syscall(SYS_readv, device, pieces, 2) : readv(device, pieces, 2);
}

static const struct {
	const char *name;
	ssize_t (*call)(void *p, size_t len, bool raw);
	size_t longest; /* of the requests that a bad address ends by a signal; the kernel serves longer ones */
} calls[] = {
	{ "getrandom", call_random, SIZE_MAX },
	{ "getrandom(GRND_NONBLOCK | GRND_RANDOM)", call_random_nonblock, SIZE_MAX },
	{ "read", read_device, LONGEST_READ },
	{ "__read_chk", read_checked, LONGEST_READ },
	{ "read of /dev/random", read_random_device, LONGEST_READ },
	{ "pread", read_at, 0 },
	{ "readv", read_pieces, 0 },
};

/* --------------------------------------------------------------------------------------------------- the comparison */

struct outcome {
	ssize_t n;
	int error;
	size_t first, written; /* offset of the first written byte; bytes from there to the last written one */
};

/*
 * Over eight different contents, because a random byte may equal the previous one: the first or last byte does so in
 * all rounds with probability 2^-64.
 */
static struct outcome try(ssize_t (*call)(void *, size_t, bool), bool raw, void *p, size_t len)
{
	enum { ROUNDS = 8, WRITABLE = 4 };
	unsigned char *const pages[WRITABLE] = { area + page, area + 2 * page, area + 4 * page, high };
	struct outcome o = { 0, 0, WRITABLE * page, 0 };
	size_t last = 0;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WRITABLE; i++)
			memset(pages[i], round, page);
		errno = UNTOUCHED;
		o.n = call(p, len, raw);
		o.error = errno;
		for (size_t i = 0; i < WRITABLE; i++) {
			/* All bytes are equal. */
			if (pages[i][0] == round && memcmp(pages[i], pages[i] + 1, page - 1) == 0)
				continue;
			for (size_t j = 0; j < page; j++) {
				const size_t at = i * page + j;

				if (pages[i][j] == round)
					continue;
				o.first = at < o.first ? at : o.first;
				last = at + 1 > last ? at + 1 : last;
			}
		}
	}
	o.written = last > o.first ? last - o.first : 0;
	return o;
}

static void compare(const struct place *place, size_t len)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct outcome o, kernel;

		if (len > place->room && len <= calls[i].longest)
			continue;
		o = try(calls[i].call, false, place->at, len);
		kernel = try(calls[i].call, true, place->at, len);
		compared++;
		served += o.n > 0;
		if (o.n != kernel.n || o.error != kernel.error || o.first != kernel.first ||
		    o.written != kernel.written)
			printf("%s(%s, %#zx): %zd, errno %d, %zu bytes from %zu on; the kernel: %zd, errno %d, "
			       "%zu bytes from %zu on\n",
			       calls[i].name, place->name, len, o.n, o.error, o.written, o.first, kernel.n,
			       kernel.error, kernel.written, kernel.first);
	}
}

static unsigned char *map(void *where, size_t len, int protection, int flags)
{
	unsigned char *p = mmap(where, len, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void set_up(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	area = map(NULL, (PAGES + 1) * page, PROT_NONE, 0);
	if (area == NULL || mprotect(area + page, 2 * page, PROT_READ | PROT_WRITE) != 0 ||
	    mprotect(area + 4 * page, page, PROT_READ | PROT_WRITE) != 0 ||
	    mprotect(area + 5 * page, page, PROT_READ) != 0)
		fail("mmap");
	for (int bits = 57; bits >= 38 && high == NULL; bits--)
		high = map((void *)(((uintptr_t)1 << bits) - GIB / 2), page, PROT_READ | PROT_WRITE,
			   MAP_FIXED_NOREPLACE);
	if (high == NULL)
		fail("mmap");
	device = open("/dev/urandom", O_RDONLY);
	random_device = open("/dev/random", O_RDONLY);
	if (device < 0 || random_device < 0)
		fail("open");
}

void differential(void)
{
	set_up();
	const struct place places[] = {
		{ "NULL", NULL, 0 },
		{ "1", (unsigned char *)1, 0 },
		{ "-1", (unsigned char *)-1, 0 },
		{ "-4096", (unsigned char *)-4096, 0 },
		{ "1 << 47", (unsigned char *)((uintptr_t)1 << 47), 0 },
		{ "1 << 63", (unsigned char *)((uintptr_t)1 << 63), 0 },
		{ "inaccessible", area, 0 },
		{ "before the first page", area + page - 1, 0 },
		{ "first page", area + page, 2 * page },
		{ "in the first page", area + page + 1000, 2 * page - 1000 },
		{ "end of the first page", area + 2 * page - 1, page + 1 },
		{ "end of the second page", area + 3 * page - 7, 7 },
		{ "behind the second page", area + 3 * page, 0 },
		{ "third page", area + 4 * page, page },
		{ "end of the third page", area + 5 * page - 7, 7 },
		{ "page to read", area + 5 * page, 0 },
		{ "high page", high, page },
	};
	const size_t lengths[] = {
		(size_t)-1,
		(size_t)-4096,
		(size_t)SSIZE_MAX + 1,
		SSIZE_MAX,
		(size_t)1 << 48,
		(size_t)1 << 47,
		(size_t)1 << 46,
		(size_t)UINT_MAX + 2,
		(size_t)UINT_MAX + 1,
		UINT_MAX,
		(size_t)INT_MAX + 1,
		INT_MAX,
		0x7ffff001,
		0x7ffff000,
		0x7fffefff,
		0x7fff0001,
		0x7fff0000,
		0x7ffeffff,
		3 * page,
		2 * page,
		page + 1,
		page,
		300,
		8,
		7,
		1,
		0,
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (size_t j = 0; j < sizeof(lengths) / sizeof(lengths[0]); j++)
			compare(&places[i], lengths[j]);
	}
	printf("%lu compared, %lu of them gave bytes\n", compared, served);
}

/* More than 2 GiB of address space, which maps one small piece repeatedly. */
static void *much(size_t len)
{
	enum { PIECE = 4 << 20 };
	const int file = memfd_create("piece", MFD_CLOEXEC);
	unsigned char *p = map(NULL, len, PROT_NONE, MAP_NORESERVE);

	if (file < 0 || ftruncate(file, PIECE) != 0 || p == NULL)
		fail("memory");
	for (size_t at = 0; at < len; at += PIECE) {
		if (mmap(p + at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
			fail("mmap");
	}
	return p;
}

void longest(void)
{
	const size_t len = (size_t)2 * GIB + (4 << 20);

	printf("%zd\n", getrandom(much(len), len, 0));
}

void longest_read(void)
{
	const size_t len = (size_t)2 * GIB + (4 << 20);

	printf("%zd\n", read(open("/dev/urandom", O_RDONLY), much(len), len));
}

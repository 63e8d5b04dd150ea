/* SPDX-License-Identifier: BSD-2-Clause */
/* Results and errno of calls, in lines that do not depend on the drawn bytes. */
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* glibc declares it since version 2.36. */
void arc4random_buf(void *buf, size_t len);

enum { UNTOUCHED = 77 };

static size_t page;

/* Three pages: writable, protected, writable. */
static unsigned char *three_pages(int protection)
{
	unsigned char *p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, protection) != 0)
		fail("mmap");
	return p;
}

/* Invalid arguments on purpose. */
#pragma GCC diagnostic ignored "-Wnonnull"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

static void random_call(const char *name, void *buf, size_t len, unsigned int flags)
{
	ssize_t n;

	errno = UNTOUCHED;
	n = getrandom(buf, len, flags);
	printf("getrandom(%s, %zu, %#x) = %zd, errno %d\n", name, len, flags, n, errno);
}

static void entropy_call(const char *name, void *buf, size_t len)
{
	int n;

	errno = UNTOUCHED;
	n = getentropy(buf, len);
	printf("getentropy(%s, %zu) = %d, errno %d\n", name, len, n, errno);
}

/* All bytes of the request are written, and none outside it. */
static void filled(unsigned char *p, size_t len)
{
	size_t zeros = 0, spilt = 0;
	unsigned int seen[64 + 8] = { 0 };

	for (int round = 0; round < 8; round++) {
		memset(p, 0, len + 128);
		if (getrandom(p + 64, len, 0) != (ssize_t)len)
			fail("getrandom");
		for (size_t i = 0; i < 64; i++)
			spilt += p[i] != 0 || p[64 + len + i] != 0;
		for (size_t i = 0; i < len && i < 72; i++)
			seen[i] |= p[64 + len - 1 - i];
	}
	/* The last byte was 0 in all of 8 rounds: false alarms 2^-64 each. */
	for (size_t i = 0; i < len && i < 72; i++)
		zeros += seen[i] == 0;
	printf("filled %zu: %zu bytes were not written, %zu were that should not be\n", len, zeros, spilt);
}

/* fread(3), with and without the stream's buffer. */
static void stream_call(const char *name, void *buf, size_t len, int mode)
{
	FILE *stream = fopen("/dev/urandom", "rb");
	size_t n;

	if (stream == NULL || setvbuf(stream, NULL, mode, 4096) != 0)
		fail("fopen");
	errno = UNTOUCHED;
	n = fread(buf, 1, len, stream);
	printf("fread(%s, %zu), buffer %d = %zu, errno %d\n", name, len, mode, n, errno);
	(void)fclose(stream);
}

/* Fork a child that may be ended by a signal. */
static pid_t in_child(void)
{
	const struct rlimit no_core = { 0, 0 };
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		(void)!freopen("/dev/null", "w", stderr); /* hides the C library's message */
	}
	return child;
}

/* Its only way to fail is to end the process. */
static void endless_call(const char *name, void *buf, size_t len)
{
	const pid_t child = in_child();
	int status;

	if (child == 0) {
		arc4random_buf(buf, len);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		fail("waitpid");
	printf("arc4random_buf(%s, %zu): %s\n", name, len, WIFSIGNALED(status) ? "ended" : "returned");
}

void semantics(void)
{
	static unsigned char area[1 << 20];
	unsigned char small[300];
	unsigned char *none;

	page = (size_t)sysconf(_SC_PAGESIZE);
	none = three_pages(PROT_NONE);

	for (unsigned int flags = 0; flags < 17; flags++) {
		random_call("stack", small, 32, flags);
		random_call("stack", small, 0, flags);
		random_call("NULL", NULL, flags < 8 ? 0 : 32, flags);
	}
	random_call("stack", small, 32, 0x80000000);
	/* subject_differential.c has other addresses and lengths. */
	for (size_t before = 1; before <= page; before = before * 3 + 1) {
		random_call("edge", none + page - before, before, 0);
		if (before <= 256)
			entropy_call("edge", none + page - before, before);
	}
	random_call("area", area, sizeof(area), 0);
	for (size_t len = 0; len < 259; len += len < 4 || len > 250 ? 1 : 41)
		entropy_call("stack", small, len);
	entropy_call("NULL", NULL, 0);
	entropy_call("NULL", NULL, 257);
	entropy_call("stack", small, (size_t)1 << 47);
	entropy_call("stack", small, (size_t)-1);
	for (int mode = 0; mode < 2; mode++) {
		stream_call("area", area, sizeof(area), mode == 0 ? _IOFBF : _IONBF);
		stream_call("edge", none, (size_t)3 * page, mode == 0 ? _IOFBF : _IONBF);
		stream_call("none", none + page, 2 * page, mode == 0 ? _IOFBF : _IONBF);
	}
	endless_call("NULL", NULL, 0);
	endless_call("NULL", NULL, 1);
	endless_call("edge", none, 2 * page);
	endless_call("edge", none, (size_t)1 << 47);
	for (size_t less = 0; less < 70; less++)
		endless_call("edge", none, (size_t)-1 - less);
	for (size_t len = 1; len <= sizeof(area) - 128; len = len * 2 + 1)
		filled(area, len);
}

void bad_addresses(void)
{
	enum { PLACES = 4 };
	unsigned char *none, *fixed;
	const int device = open("/dev/urandom", O_RDONLY);

	page = (size_t)sysconf(_SC_PAGESIZE);
	none = three_pages(PROT_NONE);
	fixed = three_pages(PROT_READ);
	unsigned char *const places[PLACES] = { NULL, none + page, fixed + page, none + page - 8 };

	for (int i = 0; i < PLACES; i++) {
		for (int call = 0; call < 3; call++) {
			const pid_t child = in_child();
			int status;

			if (child == 0)
				_exit(call == 0 ? getrandom(places[i], 16, 0) < 0 :
				      call == 1 ? getentropy(places[i], 16) < 0 :
						  read(device, places[i], 16) < 0);
			if (waitpid(child, &status, 0) != child)
				fail("waitpid");
			printf("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		}
	}
}

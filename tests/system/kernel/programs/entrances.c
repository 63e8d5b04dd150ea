/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entrances: the promises of /dev/cprng and kernel.cprng.* to programs.  Starts as root and continues as another user;
 * reports what is broken, and returns 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define DEVICE "/dev/cprng"
#define ARANDOM "/proc/sys/kernel/cprng/arandom"
#define LOCKED_READS "/proc/sys/kernel/cprng/locked_reads"

static int failures;

#define CHECK(what) \
	do { \
		if (!(what)) { \
			printf("entrances: line %d: %s (errno %d)\n", __LINE__, #what, errno); \
			failures++; \
		} \
	} while (0)

/* Bytes that a read did not write would still be zero: 16 fresh ones are all zero with probability 2^-128. */
static bool is_filled(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i + 16 <= len; i += 16) {
		static const uint8_t zeros[16];

		if (memcmp(p + i, zeros, 16) == 0)
			return false;
	}
	return true;
}

static void test_sizes(int fd)
{
	static const size_t sizes[] = { 0, 1, 15, 255, 256, 257, 4095, 4096, 4097, 65536, 1 << 20 };
	uint8_t *buf = calloc(1, (1 << 20) + 1);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(buf, 0, (1 << 20) + 1);
		CHECK(read(fd, buf, sizes[i]) == (ssize_t)sizes[i]);
		CHECK(is_filled(buf, sizes[i]));
		CHECK(buf[sizes[i]] == 0);
	}
	free(buf);
}

static void test_bad_memory(int fd)
{
	uint8_t *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(two + 4096, 4096);
	CHECK(read(fd, two + 4096, 16) == -1 && errno == EFAULT);
	/* As far as possible. */
	CHECK(read(fd, two + 4096 - 32, 64) == 32 || errno == EFAULT);
	CHECK(write(fd, two + 4096, 16) == -1 && errno == EFAULT);
	munmap(two, 4096);
}

static void test_poll_and_splice(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	uint8_t buf[4096] = { 0 };
	int ends[2];
	ssize_t n;

	CHECK(poll(&p, 1, 0) == 1 && p.revents == (POLLIN | POLLOUT));
	CHECK(pipe(ends) == 0);
	n = splice(fd, NULL, ends[1], NULL, sizeof(buf), 0);
	CHECK(n > 0);
	CHECK(read(ends[0], buf, sizeof(buf)) == n && is_filled(buf, (size_t)n));
	/* And into the pools. */
	CHECK(write(ends[1], "some words", 10) == 10);
	CHECK(splice(ends[0], NULL, fd, NULL, 10, 0) == 10);
	CHECK(write(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	close(ends[0]);
	close(ends[1]);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* The longest read, 2 GiB - 4 KiB into a single page repeatedly, would take minutes here. */
static void test_signals(int fd)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 300000 } };
	const struct sigaction action = { .sa_handler = on_alarm };
	const size_t size = (size_t)0x7ffff000;
	int memory = memfd_create("page", 0);
	uint8_t *buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ssize_t n;

	CHECK(buf != MAP_FAILED && ftruncate(memory, 1 << 20) == 0);
	for (size_t i = 0; i + (1 << 20) <= size; i += 1 << 20)
		CHECK(mmap(buf + i, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) != MAP_FAILED);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	n = read(fd, buf, size);
	CHECK(n >= 4096 && n % 4096 == 0 && (size_t)n < size);
	munmap(buf, size);
	close(memory);
}

static void test_arandom(void)
{
	int fd = open(ARANDOM, O_RDONLY);
	char a[1024] = { 0 }, b[1024] = { 0 };

	CHECK(fd >= 0);
	/* Text, which `sysctl -a` may print to a terminal: 256 bytes. */
	CHECK(pread(fd, a, sizeof(a), 0) == 513 && strspn(a, "0123456789abcdef") == 512 && a[512] == '\n');
	CHECK(pread(fd, b, sizeof(b), 0) == 513 && memcmp(a, b, 512) != 0);
	memset(a, 0, sizeof(a));
	CHECK(pread(fd, a, 7, 0) == 7 && strspn(a, "0123456789abcdef") == 7);
	/* A program that reads until the end reaches it. */
	CHECK(read(fd, a, sizeof(a)) == 513 && read(fd, a, sizeof(a)) == 0);
	close(fd);
}

static void test_modes(void)
{
	struct stat s;

	CHECK(stat(DEVICE, &s) == 0 && S_ISCHR(s.st_mode) && (s.st_mode & 07777) == 0666);
	CHECK(stat(ARANDOM, &s) == 0 && (s.st_mode & 07777) == 0444);
	CHECK(stat(LOCKED_READS, &s) == 0 && (s.st_mode & 07777) == 0644);
	CHECK(open(ARANDOM, O_WRONLY) == -1 || geteuid() == 0);
}

static void test_switch(bool may)
{
	int fd = open(LOCKED_READS, O_RDWR);
	char c = 0;

	CHECK((fd >= 0) == may);
	if (fd < 0) {
		CHECK(errno == EACCES);
		return;
	}
	CHECK(pwrite(fd, "0", 1, 0) == 1 && pread(fd, &c, 1, 0) == 1 && c == '0');
	CHECK(pwrite(fd, "2", 1, 0) == -1 && errno == EINVAL);
	CHECK(pwrite(fd, "1", 1, 0) == 1 && pread(fd, &c, 1, 0) == 1 && c == '1');
	close(fd);
}

int main(void)
{
	test_switch(true);
	CHECK(setgid(1000) == 0 && setuid(1000) == 0);
	test_switch(false);
	test_modes();
	for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
		int fd = open(DEVICE, O_RDWR | flags);

		CHECK(fd >= 0);
		test_sizes(fd);
		test_bad_memory(fd);
		test_poll_and_splice(fd);
		test_signals(fd);
		close(fd);
	}
	test_arandom();
	return failures != 0;
}

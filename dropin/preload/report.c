/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OVERFLOW_USER = 65534 }; /* kernel.overflowuid */

_Static_assert(sizeof(struct preload_report) <= REPORT_SIZE, "the file has room");

struct preload_report *cprng_preload_report = REPORT_UNREAD;

/* A single write, so that concurrent processes' lines do not mix. */
static void complain(const char *path, const char *why)
{
	char line[512];
	size_t len = 0;
	const char *const pieces[] = { "cprng-preload: CPRNG_PRELOAD_REPORT: ", path, ": ", why,
				       "; calls are served and not counted\n" };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t n = strlen(pieces[i]);

		if (i == 1 && n > 256)
			n = 256;
		memcpy(line + len, pieces[i], n);
		len += n;
	}
	(void)!write(STDERR_FILENO, line, len);
}

/* Map the file's counters, or return NULL and set *why. */
static struct preload_report *map(int fd, const char **why)
{
	struct preload_report *mapped;
	struct stat file;

	/*
	 * `cprng run` creates no file of another size or owner, and a write could damage such a file.  Linux shows the overflow
	 * user in place of any user that the process's user namespace does not map.
	 */
	*why = "not a file of 4096 bytes that belongs to this user";
	if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size != REPORT_SIZE ||
	    file.st_uid != geteuid() || file.st_uid == OVERFLOW_USER)
		return NULL;
	/* Another user could truncate it, and each count would then raise SIGBUS. */
	*why = "other users can write to it";
	if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return NULL;
	/* In a sparse file on a full disk the first count would raise SIGBUS, too. */
	*why = "no space for it";
	if (posix_fallocate(fd, 0, REPORT_SIZE) != 0)
		return NULL;
	mapped = mmap(NULL, REPORT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*why = "cannot be mapped";
	if (mapped == MAP_FAILED)
		return NULL;
	*why = "made by another version of cprng";
	if (mapped->layout != 0 && mapped->layout != REPORT_LAYOUT) {
		(void)munmap(mapped, REPORT_SIZE);
		return NULL;
	}
	return mapped;
}

struct preload_report *cprng_preload_open_report(void)
{
	/* secure_getenv: NULL in a set-user-ID program or the like. */
	const char *path = secure_getenv("CPRNG_PRELOAD_REPORT");
	const char *why = "cannot be opened for writing";
	struct preload_report *report = NULL, *before = REPORT_UNREAD;
	const int saved = errno;
	const bool may_be_gone = path != NULL && path[0] == '-';
	bool is_wanted = path != NULL;

	if (is_wanted) {
		int fd;

		path += may_be_gone;
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		is_wanted = fd >= 0 || errno != ENOENT || !may_be_gone;
		if (fd >= 0) {
			report = map(fd, &why);
			close(fd);
		}
	}
	if (!__atomic_compare_exchange_n(&cprng_preload_report, &before, report, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		/* Another thread, or a signal handler, was first. */
		if (report != NULL)
			(void)munmap(report, REPORT_SIZE);
		report = before;
	} else if (report != NULL) {
		(void)__atomic_fetch_add(&report->processes, 1, __ATOMIC_RELAXED);
	} else if (is_wanted) {
		complain(path, why);
	}
	errno = saved;
	return report;
}

__attribute__((constructor)) static void start(void)
{
	if (__atomic_load_n(&cprng_preload_report, __ATOMIC_ACQUIRE) == REPORT_UNREAD)
		(void)cprng_preload_open_report();
}

/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/generation_file.h"

#include "os/linux/sys.h"
#include "os/os.h"

#include <fcntl.h>
#include <sys/stat.h>

#ifndef O_PATH /* musl and glibc define it only with _GNU_SOURCE */
#define O_PATH 010000000
#endif

static const char untrusted[] = "refused: another user may change it or a directory on its way";

/* Return true if only root and the process's own user may change the file or directory. */
static bool is_trusted(const struct stat *status)
{
	return cprng_sys_trusts((long)status->st_uid) && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static const char *why_not_open(long error)
{
	switch (error) {
	case -ENOENT:
		return "absent";
	case -ENOTDIR:
	case -ELOOP:
		return "refused: a symbolic link or a file among its directories";
	default:
		return "refused: it cannot be opened";
	}
}

/* Open the subdirectory, and replace *dir by it. */
static const char *enter(long *dir, const char *name)
{
	/* O_PATH needs no right to read the directory. */
	const long next = cprng_sys_openat((int)*dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stat status;

	if (*dir >= 0)
		(void)cprng_sys_close((int)*dir);
	*dir = next;
	if (next < 0)
		return why_not_open(next);
	return cprng_sys_fstat((int)next, &status) == 0 && is_trusted(&status) ? NULL : untrusted;
}

/* Return the descriptor, which the caller closes even if *why was set. */
static long open_trusted(const char *name, const char **why)
{
	char part[CPRNG_FILE_NAME_MAX];
	long dir = AT_FDCWD, fd;

	*why = enter(&dir, "/");
	while (*why == NULL) {
		size_t len = 0;

		while (*name == '/')
			name++;
		while (name[len] != '\0' && name[len] != '/')
			len++;
		memcpy(part, name, len);
		part[len] = '\0';
		name += len;
		if (*name == '\0')
			break;
		*why = enter(&dir, part);
	}
	if (*why != NULL)
		return dir;
	/* Do not follow a link, or wait for the writer of a FIFO. */
	fd = cprng_sys_openat((int)dir, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	(void)cprng_sys_close((int)dir);
	if (fd < 0)
		*why = fd == -ELOOP ? "refused: a symbolic link" : why_not_open(fd);
	return fd;
}

/* Return NULL if the open file is a generation file, otherwise the reason. */
static const char *why_not_map(int fd)
{
	char mark[sizeof(CPRNG_FILE_MARK) - 1];
	struct stat status;
	uint32_t kind;

	if (cprng_sys_fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return "refused: not a regular file";
	if (!is_trusted(&status))
		return untrusted;
	if (cprng_sys_file_system(fd, &kind) != 0 || !cprng_generation_file_is_local(kind))
		return "refused: its file system is not tmpfs, ramfs, ext4, XFS or Btrfs";
	/* With read(2): a load may fail if the file has a hole in place of this page. */
	if (status.st_size < CPRNG_FILE_SIZE_MIN || cprng_sys_read(fd, mark, sizeof(mark)) != (long)sizeof(mark) ||
	    memcmp(mark, CPRNG_FILE_MARK, sizeof(mark)) != 0)
		return "refused: not made by cprng invalidate";
	return NULL;
}

const void *cprng_generation_file_map(const char *name, const char **state)
{
	const char *why = NULL;
	long fd, page;

	*state = "none";
	if (name[0] == '\0')
		return NULL;
	*state = "refused: its name does not begin with /, or is too long";
	if (name[0] != '/' || strnlen(name, CPRNG_FILE_NAME_MAX) >= CPRNG_FILE_NAME_MAX - 1)
		return NULL;
	fd = open_trusted(name, &why);
	if (why == NULL)
		why = why_not_map((int)fd);
	page = why == NULL ? cprng_sys_map_file((int)fd, cprng_os_page_size()) : -EINVAL;
	if (why == NULL && cprng_sys_is_error(page))
		why = "refused: it cannot be mapped";
	if (fd >= 0)
		(void)cprng_sys_close((int)fd);
	*state = why != NULL ? why : "mapped";
	return why != NULL ? NULL : (const void *)page;
}

#endif

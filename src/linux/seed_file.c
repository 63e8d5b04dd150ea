/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/seed_file.h"

#include "core/wipe.h"
#include "fortuna/sha256.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>

/*
 * Who waits for the lock of a file finds it replaced, as a rule, and tries again with the new one: each time somebody
 * else has come through.  So many in front of one process is a mistake somewhere.
 */
enum { TRIES_MAX = 1000 };

/* ".cprng-" and 16 digits, as the command's other temporary files. */
enum { TEMPORARY_NAME_SIZE = 7 + 16 + 1 };

struct seed_file {
	const char *name; /* in the directory */
	int dir;
	int old; /* open and locked; -1 where there is none */
	int remarks;
	long error;
	size_t old_len;
	uint8_t old_content[CPRNG_SEED_FILE_SIZE];
	uint8_t new_content[CPRNG_SEED_FILE_SIZE];
	uint8_t seed[CPRNG_SHA256_SIZE];
};

/* Signals that interrupt are the caller's affair, not that of the file. */
#define AGAIN_IF_INTERRUPTED(call) \
	({ \
		long result; \
		do \
			result = (call); \
		while (result == -EINTR); \
		result; \
	})

static int failed(struct seed_file *f, long error)
{
	f->error = error;
	return CPRNG_ERR_SYSTEM;
}

static int open_directory(struct seed_file *f, const char *path)
{
	char directory[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');
	long fd;

	f->name = path;
	if (slash != NULL) {
		size_t len = (size_t)(slash - path) + 1;

		if (len >= sizeof(directory))
			return failed(f, -ENAMETOOLONG);
		memcpy(directory, path, len);
		directory[len] = '\0';
		f->name = slash + 1;
	}
	fd = AGAIN_IF_INTERRUPTED(cprng_sys_openat(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
	if (fd < 0)
		return failed(f, fd);
	f->dir = (int)fd;
	/* "directory/" is no file. */
	return *f->name == '\0' ? CPRNG_ERR_FILE_TYPE : CPRNG_OK;
}

static int check(struct seed_file *f, const struct stat *status)
{
	/*
	 * One that is longer never was a seed file: somebody has mistyped the name of something dear.  And under a second
	 * name the content would stay, to be used again.
	 */
	if (!S_ISREG(status->st_mode) || status->st_size > CPRNG_SEED_FILE_SIZE || status->st_nlink > 1)
		return CPRNG_ERR_FILE_TYPE;
	if (status->st_uid != 0 && (long)status->st_uid != cprng_sys_euid())
		return CPRNG_ERR_FILE_OWNER;
	/* A rename would replace a read-only file as well, and root may write it; but its owner has said no. */
	if ((status->st_mode & S_IWUSR) == 0)
		return failed(f, -EACCES);
	return CPRNG_OK;
}

static void release(struct seed_file *f)
{
	if (f->old < 0)
		return;
	/* Closing is not enough: a child that another thread forked meanwhile holds the lock as well. */
	cprng_sys_flock(f->old, LOCK_UN);
	cprng_sys_close(f->old);
	f->old = -1;
}

/*
 * Open and lock what stands under the name.  CPRNG_OK with f->old -1 when there is nothing.  For writing, although it is
 * never written: so the kernel tells whether it may be, and network file systems want it for the lock.
 */
static int open_old(struct seed_file *f)
{
	for (unsigned int tries = 0; tries < TRIES_MAX; tries++) {
		struct stat named, opened;
		long r = cprng_sys_fstatat(f->dir, f->name, &named);
		int verdict;

		if (r == -ENOENT) {
			f->remarks |= CPRNG_SEED_MISSING;
			return CPRNG_OK;
		}
		if (r < 0)
			return failed(f, r);
		/* Before it is opened: that alone can do something to a device. */
		verdict = check(f, &named);
		if (verdict != CPRNG_OK)
			return verdict;
		/* Not blocking, should somebody put a FIFO there now. */
		r = AGAIN_IF_INTERRUPTED(
			cprng_sys_openat(f->dir, f->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));
		if (r == -ENOENT || r == -ELOOP)
			continue;
		if (r < 0)
			return failed(f, r);
		f->old = (int)r;
		r = AGAIN_IF_INTERRUPTED(cprng_sys_flock(f->old, LOCK_EX));
		if (r >= 0)
			r = cprng_sys_fstat(f->old, &opened);
		if (r < 0)
			return failed(f, r);
		r = cprng_sys_fstatat(f->dir, f->name, &named);
		if (r < 0 && r != -ENOENT)
			return failed(f, r);
		if (r == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) {
			if ((opened.st_mode & (S_IRWXG | S_IRWXO)) != 0)
				f->remarks |= CPRNG_SEED_EXPOSED;
			if (opened.st_size != CPRNG_SEED_FILE_SIZE)
				f->remarks |= CPRNG_SEED_SHORT;
			return check(f, &opened);
		}
		/* The one who had the lock has replaced the file: what is open here was used. */
		release(f);
	}
	return failed(f, -EBUSY);
}

static int read_old(struct seed_file *f)
{
	while (f->old >= 0 && f->old_len < sizeof(f->old_content)) {
		long r = AGAIN_IF_INTERRUPTED(
			cprng_sys_read(f->old, f->old_content + f->old_len, sizeof(f->old_content) - f->old_len));

		if (r < 0)
			return failed(f, r);
		if (r == 0) {
			f->remarks |= CPRNG_SEED_SHORT;
			break;
		}
		f->old_len += (size_t)r;
	}
	return CPRNG_OK;
}

static void derive_one(const struct seed_file *f, const uint8_t *fresh, uint8_t purpose, uint8_t out[CPRNG_SHA256_SIZE])
{
	static const char domain[] = "cprng seed file";
	struct cprng_sha256 h;

	cprng_sha256d_init(&h);
	cprng_sha256_update(&h, domain, sizeof(domain));
	cprng_sha256_update(&h, &purpose, 1);
	/* All but this has a fixed length, so the string has one reading. */
	cprng_sha256_update(&h, f->old_content, f->old_len);
	cprng_sha256_update(&h, fresh, CPRNG_SEED_FILE_SIZE);
	cprng_sha256d_final(&h, out);
}

/* Who reads the new content learns nothing of what is mixed, nor of the bytes that were drawn for it. */
static void derive(struct seed_file *f)
{
	uint8_t fresh[CPRNG_SEED_FILE_SIZE];

	_Static_assert(sizeof(f->new_content) == (size_t)2 * CPRNG_SHA256_SIZE, "two hashes");
	cprng_strong_read(fresh, sizeof(fresh));
	derive_one(f, fresh, 1, f->new_content);
	derive_one(f, fresh, 2, f->new_content + CPRNG_SHA256_SIZE);
	derive_one(f, fresh, 3, f->seed);
	cprng_wipe(fresh, sizeof(fresh));
}

static void make_temporary_name(char name[TEMPORARY_NAME_SIZE])
{
	static const char digit[] = "0123456789abcdef";
	uint8_t random[8];

	cprng_strong_read(random, sizeof(random));
	memcpy(name, ".cprng-", 7);
	for (size_t i = 0; i < sizeof(random); i++) {
		name[7 + 2 * i] = digit[random[i] >> 4];
		name[8 + 2 * i] = digit[random[i] & 15];
	}
	name[TEMPORARY_NAME_SIZE - 1] = '\0';
}

static long write_whole(int fd, const uint8_t *data, size_t len)
{
	while (len > 0) {
		long r = AGAIN_IF_INTERRUPTED(cprng_sys_write(fd, data, len));

		if (r <= 0)
			return r < 0 ? r : -EIO;
		data += r;
		len -= (size_t)r;
	}
	return 0;
}

/* The new content under the name, on the disk.  A negative error number on failure, and no temporary file. */
static long replace(const struct seed_file *f)
{
	char temporary[TEMPORARY_NAME_SIZE];
	long fd, r;

	make_temporary_name(temporary);
	fd = AGAIN_IF_INTERRUPTED(
		cprng_sys_openat(f->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (fd < 0)
		return fd;
	/* The umask may have taken something away. */
	r = cprng_sys_fchmod((int)fd, 0600);
	if (r == 0)
		r = write_whole((int)fd, f->new_content, sizeof(f->new_content));
	if (r == 0)
		r = AGAIN_IF_INTERRUPTED(cprng_sys_fsync((int)fd));
	cprng_sys_close((int)fd);
	if (r == 0)
		r = cprng_sys_renameat(f->dir, temporary, f->name);
	if (r < 0) {
		cprng_sys_unlinkat(f->dir, temporary);
		return r;
	}
	return AGAIN_IF_INTERRUPTED(cprng_sys_fsync(f->dir));
}

/* With the lock, and signals blocked: a handler that forked here would have the old content used by two. */
static int use_and_replace(struct seed_file *f)
{
	int status = read_old(f);
	long r;

	if (status != CPRNG_OK)
		return status;
	derive(f);
	r = replace(f);
	if (r < 0)
		return failed(f, r);
	if (f->old_len != 0)
		cprng_strong_seed(f->seed, sizeof(f->seed));
	return f->remarks;
}

static int exchange(struct seed_file *f)
{
	uint64_t signals[2]; /* 128 of them on MIPS */
	int status = open_old(f);

	if (status != CPRNG_OK)
		return status;
	cprng_sys_block_signals(signals);
	status = use_and_replace(f);
	cprng_sys_restore_signals(signals);
	return status;
}

int cprng_seed_file_exchange(const char *path, long *error)
{
	struct seed_file f = { .dir = -1, .old = -1 };
	int status = open_directory(&f, path);

	if (status == CPRNG_OK)
		status = exchange(&f);
	release(&f);
	if (f.dir >= 0)
		cprng_sys_close(f.dir);
	*error = f.error;
	cprng_wipe(&f, sizeof(f));
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/seed_file.h"

#include "core/sha256.h"
#include "core/wipe.h"
#include "cpu/registers.h"
#include "os/os.h"

#include <errno.h>
#include <limits.h>

/*
 * A process that gets the lock after waiting finds the file replaced, as a rule, and tries again with the new file: each
 * time another process has finished its exchange.  More than SEED_TRIES_MAX exchanges before this one indicate a mistake.
 */
enum { SEED_TRIES_MAX = 1000 };

/*
 * The longest wait for one holder of the lock: 1000 sleeps of 10 ms, ten seconds.  A proper holder keeps it for two fsyncs,
 * some milliseconds to about a second on a slow card, and the service manager that runs the command at boot gives a service
 * 90 seconds.  A sleep is about as long as an exchange on a disk, and costs little CPU time.  The loop counts sleeps and does
 * not read a clock, so that the wait ends without a clock, too; it is shorter where signals interrupt the sleeps or a sandbox
 * refuses them.
 */
enum { SEED_WAITS_MAX = 1000, SEED_WAIT_NANOSECONDS = 10000000 };

/* ".cprng-" and 16 digits, as the command's other temporary files. */
enum { TEMPORARY_NAME_SIZE = 7 + 16 + 1 };

struct seed_file {
	struct cprng_process *process;
	const char *name; /* in the directory */
	int dir;
	int old; /* open and locked; -1 where there is none */
	int remarks;
	long error;
	uint64_t old_number; /* of the file that is locked */
	size_t old_len;
	uint8_t old_content[CPRNG_SEED_FILE_SIZE];
	uint8_t new_content[CPRNG_SEED_FILE_SIZE];
	uint8_t seed[CPRNG_SHA256_SIZE];
};

static int failed(struct seed_file *f, long error)
{
	f->error = error;
	return CPRNG_ERR_SYSTEM;
}

static int seed_open_directory(struct seed_file *f, const char *path)
{
	char directory[PATH_MAX] = ".";
	size_t len;
	long fd;

	f->name = cprng_os_name_in_path(path);
	len = (size_t)(f->name - path);
	if (len >= sizeof(directory))
		return failed(f, -ENAMETOOLONG);
	if (len != 0) {
		memcpy(directory, path, len);
		directory[len] = '\0';
	}
	fd = cprng_os_open_directory(directory);
	if (fd < 0)
		return failed(f, fd);
	f->dir = (int)fd;
	/* "directory/" is no file. */
	return *f->name == '\0' ? CPRNG_ERR_FILE_TYPE : CPRNG_OK;
}

static int check(struct seed_file *f, const struct cprng_os_file *found)
{
	/*
	 * A longer file was never a seed file: its name was mistyped.  And under a second name the content would stay,
	 * to be used again.
	 */
	if (!found->regular || found->size > CPRNG_SEED_FILE_SIZE || found->links > 1)
		return CPRNG_ERR_FILE_TYPE;
	if (!found->trusted)
		return CPRNG_ERR_FILE_OWNER;
	/* A rename would replace a read-only file as well, and root may write to it; but its owner has forbidden that. */
	return found->owner_may_write ? CPRNG_OK : failed(f, -EACCES);
}

static void seed_release(struct seed_file *f)
{
	if (f->old < 0)
		return;
	/* Closing does not release the lock if another thread has forked meanwhile: the child holds it as well. */
	cprng_os_unlock_file(f->old);
	cprng_os_close_file(f->old);
	f->old = -1;
}

/* Results of seed_open_named(), besides errors, which are negative. */
enum { NOTHING, OPENED, GONE };

/*
 * Open the named file as f->old, and check it.
 *
 * It is opened for writing, although it is never written: so the system checks the right to write, and network file
 * systems need it for the lock.
 */
static int seed_open_named(struct seed_file *f, struct cprng_os_file *found)
{
	long r = cprng_os_find_file(f->dir, f->name, found);
	int verdict;

	if (r == -ENOENT)
		return NOTHING;
	if (r < 0)
		return failed(f, r);
	/* Before it is opened: opening a device can have an effect. */
	verdict = check(f, found);
	if (verdict != CPRNG_OK)
		return verdict;
	r = cprng_os_open_file(f->dir, f->name);
	if (r == -ENOENT || r == -ELOOP)
		return GONE;
	if (r < 0)
		return failed(f, r);
	f->old = (int)r;
	r = cprng_os_describe_file(f->old, found);
	if (r < 0)
		return failed(f, r);
	/* Check again before locking: if this is another file now, a lock would make its users wait. */
	verdict = check(f, found);
	return verdict == CPRNG_OK ? OPENED : verdict;
}

/* Return 1 if the name stands for the open file, 0 if that file was replaced or removed, or a negative error number. */
static long named(const struct seed_file *f, const struct cprng_os_file *opened)
{
	struct cprng_os_file found;
	long r = cprng_os_find_file(f->dir, f->name, &found);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return found.device == opened->device && found.number == opened->number;
}

/*
 * Lock the open file, if the lock is free or becomes free in time.  Do not wait for the lock of an exposed file, which any
 * user that can open the file can hold without end.  (So can the owner of a descriptor from before a chmod to a private
 * mode.)  Returns the result of named() after the last try.
 */
static long seed_lock(const struct seed_file *f, const struct cprng_os_file *opened, bool *locked)
{
	for (int waits = 0;; waits++) {
		long r = cprng_os_try_lock_file(f->old);

		if (r < 0 && r != -EWOULDBLOCK)
			return r;
		*locked = r >= 0;
		/* Check the name at each try: a proper holder replaces the file, and then only the new file matters. */
		r = named(f, opened);
		if (*locked || r <= 0 || opened->exposed || waits == SEED_WAITS_MAX)
			return r;
		cprng_os_sleep(SEED_WAIT_NANOSECONDS);
	}
}

/* Check the file again, under its lock. */
static int look_again(struct seed_file *f, const struct cprng_os_file *before)
{
	struct cprng_os_file now;
	long r = cprng_os_describe_file(f->old, &now);

	if (r < 0)
		return failed(f, r);
	f->old_number = now.number;
	if (before->exposed || now.exposed)
		f->remarks |= CPRNG_SEED_EXPOSED;
	if (now.size != CPRNG_SEED_FILE_SIZE)
		f->remarks |= CPRNG_SEED_SHORT;
	return check(f, &now);
}

/*
 * Open and lock the named file.  Returns CPRNG_OK with f->old -1 when there is nothing to mix.
 *
 * No content is used twice, because of this rule: a process uses a content only while it holds the lock of its file and the
 * name stands for that file.  Before it releases the lock, it gives the name to another file, permanently, because a file
 * under a temporary name is renamed once.
 *
 * An exposed file whose lock is taken is replaced without the lock, and its content is not used.  The holder may be another
 * exchange that is under way.  It continues with its content, and of its new file and ours the one that is renamed last has
 * the name.  The other one was used by no process, or by the one process that held its lock; so the rule holds.  All that can
 * be lost is a seed that no process has used, and the one in its place is as good, from fresh bytes.
 */
static int open_old(struct seed_file *f)
{
	for (unsigned int tries = 0; tries < SEED_TRIES_MAX; tries++) {
		struct cprng_os_file opened;
		bool locked = false;
		int found = seed_open_named(f, &opened);
		long r;

		if (found < 0)
			return found;
		if (found == NOTHING) {
			f->remarks |= CPRNG_SEED_MISSING;
			return CPRNG_OK;
		}
		if (found == GONE)
			continue;
		r = seed_lock(f, &opened, &locked);
		if (r < 0)
			return failed(f, r);
		if (r > 0 && locked)
			return look_again(f, &opened);
		if (r > 0 && !opened.exposed)
			return CPRNG_ERR_BUSY;
		/* The file was replaced, so its content was used; or it is exposed and another process holds its lock. */
		seed_release(f);
		if (r > 0) {
			f->remarks |= CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED;
			return CPRNG_OK;
		}
	}
	return failed(f, -EBUSY);
}

static int read_old(struct seed_file *f)
{
	while (f->old >= 0 && f->old_len < sizeof(f->old_content)) {
		long r = cprng_os_read_file(f->old, f->old_content + f->old_len, sizeof(f->old_content) - f->old_len);

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
	/* Only this part has a variable length, so the hashed string is unambiguous. */
	cprng_sha256_update(&h, f->old_content, f->old_len);
	cprng_sha256_update(&h, fresh, CPRNG_SEED_FILE_SIZE);
	cprng_sha256d_final(&h, out);
}

/* A reader of the new content learns nothing of the seed that is mixed, and nothing of the bytes drawn for it. */
static void derive(struct seed_file *f)
{
	uint8_t fresh[CPRNG_SEED_FILE_SIZE];

	_Static_assert(sizeof(f->new_content) == (size_t)2 * CPRNG_SHA256_SIZE, "two hashes");
	cprng_strong_read(f->process, fresh, sizeof(fresh));
	derive_one(f, fresh, 1, f->new_content);
	derive_one(f, fresh, 2, f->new_content + CPRNG_SHA256_SIZE);
	derive_one(f, fresh, 3, f->seed);
	cprng_wipe(fresh, sizeof(fresh));
	/* memcpy() leaves some of it in registers, which the dynamic linker saves on the stack if it binds a call that follows. */
	cprng_clear_registers();
}

static void make_temporary_name(uint64_t number, char name[TEMPORARY_NAME_SIZE])
{
	static const char digit[] = "0123456789abcdef";

	memcpy(name, ".cprng-", 7);
	for (size_t i = 0; i < 16; i++)
		name[7 + i] = digit[number >> (60 - 4 * i) & 15];
	name[TEMPORARY_NAME_SIZE - 1] = '\0';
}

/* Whether the name stands for a file as replace() writes it, rather than for something that another user put there. */
static bool is_temporary(const struct seed_file *f, const char *name)
{
	struct cprng_os_file found;

	return cprng_os_find_file(f->dir, name, &found) >= 0 && found.regular && found.trusted && !found.exposed &&
	       found.links == 1 && found.size <= CPRNG_SEED_FILE_SIZE;
}

/*
 * A process that holds the lock of the old file uses a name that the old file's number determines.  If it is killed, the old
 * file stays, and the next process with its lock finds the temporary file and removes it: no other process uses that name.
 * Without a lock, and if another file has the name, a random name is used.
 */
static long create_temporary(const struct seed_file *f, char name[TEMPORARY_NAME_SIZE])
{
	uint64_t random;

	if (f->old >= 0) {
		long fd;

		make_temporary_name(f->old_number, name);
		fd = cprng_os_create_file(f->dir, name);
		if (fd == -EEXIST && is_temporary(f, name) && cprng_os_remove_file(f->dir, name) >= 0)
			fd = cprng_os_create_file(f->dir, name);
		if (fd != -EEXIST)
			return fd;
	}
	cprng_strong_read(f->process, (uint8_t *)&random, sizeof(random));
	make_temporary_name(random, name);
	return cprng_os_create_file(f->dir, name);
}

static long write_whole(int fd, const uint8_t *data, size_t len)
{
	while (len > 0) {
		long r = cprng_os_write_file(fd, data, len);

		if (r <= 0)
			return r < 0 ? r : -EIO;
		data += r;
		len -= (size_t)r;
	}
	return 0;
}

/* Put the new content under the name, and on the disk.  On failure: a negative error number, and no temporary file. */
static long replace(const struct seed_file *f)
{
	char temporary[TEMPORARY_NAME_SIZE];
	long fd, r;

	fd = create_temporary(f, temporary);
	if (fd < 0)
		return fd;
	r = write_whole((int)fd, f->new_content, sizeof(f->new_content));
	if (r == 0)
		r = cprng_os_sync_file((int)fd);
	cprng_os_close_file((int)fd);
	if (r == 0)
		r = cprng_os_rename_file(f->dir, temporary, f->name);
	if (r < 0) {
		cprng_os_remove_file(f->dir, temporary);
		return r;
	}
	return cprng_os_sync_file(f->dir);
}

/* The caller holds the lock of the old file, and blocks signals: if a handler forked here, two processes would use the content. */
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
		cprng_strong_seed(f->process, f->seed, sizeof(f->seed));
	return f->remarks;
}

static int seed_exchange(struct seed_file *f)
{
	struct cprng_os_signals signals;
	int status = open_old(f);

	if (status != CPRNG_OK)
		return status;
	cprng_os_block_signals(&signals);
	status = use_and_replace(f);
	cprng_os_restore_signals(&signals);
	return status;
}

int cprng_seed_file_exchange(struct cprng_process *p, const char *path, long *error)
{
	struct seed_file f = { .process = p, .dir = -1, .old = -1 };
	int status = seed_open_directory(&f, path);

	if (status == CPRNG_OK)
		status = seed_exchange(&f);
	seed_release(&f);
	if (f.dir >= 0)
		cprng_os_close_file(f.dir);
	*error = f.error;
	cprng_wipe(&f, sizeof(f));
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves read(2) of /dev/urandom and /dev/random by getrandom(2): libcprng-preload.so's if that is loaded, too.
 *
 * The device is really opened, so rights, flags, dup, fork, exec and poll are the kernel's.  This library only keeps a
 * hint about which descriptors may refer to a device.  A read from such a descriptor first asks the kernel (fstat), and
 * then calls getrandom or the original read.  So a descriptor that changes unnoticed (closed and reopened by a system
 * call, say) is never mistaken for a device, and the kernel serves a device without a hint.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "preload.h"

enum {
	/* The kernel serves descriptors from this number on, */
	DESCRIPTORS = 4096,
	/* and longer reads.  No call returns more bytes; this is the least such limit (MAX_RW_COUNT with pages of 64 KiB). */
	LONGEST = 0x7fff0000,
};

static unsigned char hint[DESCRIPTORS];

static void set_hint(int fd, bool device)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		__atomic_store_n(&hint[fd], device, __ATOMIC_RELAXED);
}

static bool has_hint(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS && __atomic_load_n(&hint[fd], __ATOMIC_RELAXED);
}

static bool names_device(const char *path)
{
	return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

/* Linux, Documentation/admin-guide/devices.txt: 1, 8 is random, 1, 9 is urandom. */
static bool is_device(int fd)
{
	struct stat file;
	const int saved = errno;
	const bool is = fstat(fd, &file) == 0 && S_ISCHR(file.st_mode) &&
			(file.st_rdev == makedev(1, 8) || file.st_rdev == makedev(1, 9));

	errno = saved;
	return is;
}

/*
 * The replaced functions.  They are NULL before the constructor runs; then make system calls: another library may call
 * these from its malloc, where dlsym(3) must not be called.
 */
static struct {
	int (*open)(const char *, int, ...);
	int (*open_2)(const char *, int);
	int (*openat)(int, const char *, int, ...);
	int (*openat_2)(int, const char *, int);
	FILE *(*fopen)(const char *, const char *);
	int (*dup)(int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*read_chk)(int, void *, size_t, size_t);
} next;

/* On 64-bit systems, open and open64 are the same function. */
_Static_assert(sizeof(long) == 8, "open and open64 are one function");

__attribute__((constructor)) static void start(void)
{
	const int saved = errno;

	*(void **)&next.open = dlsym(RTLD_NEXT, "open");
	*(void **)&next.open_2 = dlsym(RTLD_NEXT, "__open_2");
	*(void **)&next.openat = dlsym(RTLD_NEXT, "openat");
	*(void **)&next.openat_2 = dlsym(RTLD_NEXT, "__openat_2");
	*(void **)&next.dup = dlsym(RTLD_NEXT, "dup");
	*(void **)&next.dup2 = dlsym(RTLD_NEXT, "dup2");
	*(void **)&next.dup3 = dlsym(RTLD_NEXT, "dup3");
	*(void **)&next.read_chk = dlsym(RTLD_NEXT, "__read_chk");
	*(void **)&next.read = dlsym(RTLD_NEXT, "read");
	/* `program </dev/urandom`: the shell opened it. */
	set_hint(STDIN_FILENO, is_device(STDIN_FILENO));
	errno = saved;
}

/* Set the hint if the descriptor reads from a device, and return the descriptor.  path is valid only if fd is. */
static int opened(int fd, const char *path, int flags)
{
	if (fd >= 0)
		set_hint(fd, names_device(path) && (flags & O_ACCMODE) != O_WRONLY && (flags & O_PATH) == 0);
	return fd;
}

/* As in the C library, the mode argument exists only if the flags require it. */
static mode_t mode_of(int flags, va_list arguments)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(next.open != NULL ? next.open(path, flags, mode) :
					  (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode),
		      path, flags);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(next.openat != NULL ? next.openat(dir, path, flags, mode) :
					    (int)syscall(SYS_openat, dir, path, flags, mode),
		      path, flags);
}

/* Called with _FORTIFY_SOURCE; the originals abort if a required mode is missing. */
int __open_2(const char *path, int flags);
EXPORT int __open_2(const char *path, int flags)
{
	return opened(next.open_2 != NULL ? next.open_2(path, flags) :
					    (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0),
		      path, flags);
}

int __openat_2(int dir, const char *path, int flags);
EXPORT int __openat_2(int dir, const char *path, int flags)
{
	return opened(next.openat_2 != NULL ? next.openat_2(dir, path, flags) :
					      (int)syscall(SYS_openat, dir, path, flags, 0),
		      path, flags);
}

/*
 * Hint the stream's descriptor, for programs and libraries that read from it directly (libstdc++ does).  The kernel
 * fills the stream's buffer: the C library's own functions do not call this read.
 */
EXPORT FILE *fopen(const char *path, const char *mode)
{
	FILE *(*original)(const char *, const char *) = __atomic_load_n(&next.fopen, __ATOMIC_RELAXED);
	FILE *stream;

	if (original == NULL) {
		*(void **)&original = dlsym(RTLD_NEXT, "fopen");
		__atomic_store_n(&next.fopen, original, __ATOMIC_RELAXED);
	}
	stream = original(path, mode);
	if (stream != NULL)
		set_hint(fileno(stream), names_device(path) && (mode[0] == 'r' || strchr(mode, '+') != NULL));
	return stream;
}

#define SAME(type, name, as, parameters) \
	type name parameters; \
	EXPORT type name parameters __attribute__((alias(as)))
SAME(int, open64, "open", (const char *path, int flags, ...));
SAME(int, openat64, "openat", (int dir, const char *path, int flags, ...));
SAME(int, __open64_2, "__open_2", (const char *path, int flags));
SAME(int, __openat64_2, "__openat_2", (int dir, const char *path, int flags));
SAME(FILE *, fopen64, "fopen", (const char *path, const char *mode));

static int copied(int fd, int from)
{
	set_hint(fd, has_hint(from));
	return fd;
}

EXPORT int dup(int fd)
{
	return copied(next.dup != NULL ? next.dup(fd) : (int)syscall(SYS_dup, fd), fd);
}

EXPORT int dup2(int fd, int as)
{
	return copied(next.dup2 != NULL ? next.dup2(fd, as) :
		      fd == as          ? fcntl(fd, F_GETFD) < 0 ? -1 : fd :
					  (int)syscall(SYS_dup3, fd, as, 0),
		      fd);
}

EXPORT int dup3(int fd, int as, int flags)
{
	return copied(next.dup3 != NULL ? next.dup3(fd, as, flags) : (int)syscall(SYS_dup3, fd, as, flags), fd);
}

/* Return true if the descriptor is a device's and getrandom served the read; *n is then the result. */
static bool by_getrandom(int fd, void *buf, size_t len, ssize_t *n)
{
	const int saved = errno;

	if (__builtin_expect(!has_hint(fd), 1))
		return false;
	/* The kernel refuses a read that exceeds the address space, such as a negative length; getrandom serves a part. */
	if (__builtin_expect(len > LONGEST, 0))
		return false;
	pthread_testcancel(); /* as read(2) is a cancellation point */
	if (!is_device(fd)) {
		set_hint(fd, false);
		return false;
	}
	/* A call that would block (before the kernel is seeded) goes to the device, which has its own rules. */
	*n = getrandom(buf, len, GRND_NONBLOCK);
	if (*n >= 0)
		return true;
	errno = saved;
	return false;
}

EXPORT ssize_t read(int fd, void *buf, size_t len)
{
	ssize_t n;

	if (by_getrandom(fd, buf, len, &n))
		return n;
	return next.read != NULL ? next.read(fd, buf, len) : syscall(SYS_read, fd, buf, len);
}

/* Called with _FORTIFY_SOURCE; the original aborts if the buffer is too small. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t size);
EXPORT ssize_t __read_chk(int fd, void *buf, size_t len, size_t size)
{
	ssize_t n;

	if (len <= size && by_getrandom(fd, buf, len, &n))
		return n;
	return next.read_chk != NULL ? next.read_chk(fd, buf, len, size) : syscall(SYS_read, fd, buf, len);
}

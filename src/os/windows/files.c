/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: the files of os.h.  Only ntdll's NtCreateFile() can open files relative to an open directory.  Paths and names are
 * UTF-8.  A descriptor is a handle, of which 32 bits are significant.
 */
#ifdef _WIN32

#include "os/os.h"
#include "os/windows/calls.h"

#include <errno.h>

/* UTF-16 units of the longest file name, and of the longest path without the prefix for long paths. */
enum { NAME_MAX_UNITS = 255, PATH_MAX_UNITS = MAX_PATH };

/* Classes of NtSetInformationFile(), and flags of a rename; RENAME_EX and POSIX_SEMANTICS are new in Windows 10 version 1709. */
enum { RENAME = 10, RENAME_EX = 65, REPLACE_IF_EXISTS = 1, POSIX_SEMANTICS = 2 };

#define DELETE_PENDING ((NTSTATUS)0xc0000056)
#define OPLOCK_BREAK_IN_PROGRESS ((NTSTATUS)0x108)
#ifndef FILE_COMPLETE_IF_OPLOCKED
#define FILE_COMPLETE_IF_OPLOCKED 0x100
#endif

struct rename_information {
	uint32_t flags; /* for RENAME: a byte, whether to replace */
	HANDLE directory;
	uint32_t bytes;
	wchar_t name[NAME_MAX_UNITS];
};

/* Lock a byte behind the end of any file: Windows denies access to locked bytes, so a backup could not read them. */
static const OVERLAPPED lock_place = { .OffsetHigh = 0x40000000 };

static HANDLE handle_of(int fd)
{
	return (HANDLE)(intptr_t)fd;
}

/* Convert UTF-8 to UTF-16.  Returns the number of units without the terminator, or a negative error number. */
static long to_utf16(const char *text, wchar_t *wide, int room)
{
	const int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, room);

	if (units > 0)
		return units - 1;
	return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? -ENAMETOOLONG : -EILSEQ;
}

/* Open the file of that name; a link is opened itself, not followed. */
static long open_named(int dir, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
		       SECURITY_DESCRIPTOR *security)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();
	wchar_t wide[NAME_MAX_UNITS + 1];
	const long units = to_utf16(name, wide, CPRNG_ARRAY_SIZE(wide));
	IO_STATUS_BLOCK io;
	UNICODE_STRING string;
	OBJECT_ATTRIBUTES attributes;
	HANDLE file = NULL;
	NTSTATUS status;

	if (units < 0)
		return units;
	if (calls->create_file == NULL || calls->status_to_error == NULL)
		return -ENOSYS;
	/* Other interfaces of Windows cannot open a name that ends like this. */
	if (units == 0 || wide[units - 1] == L'.' || wide[units - 1] == L' ')
		return -EINVAL;
	string = (UNICODE_STRING){ (USHORT)(units * 2), (USHORT)(units * 2), wide };
	InitializeObjectAttributes(&attributes, &string, OBJ_CASE_INSENSITIVE, handle_of(dir), security);
	status = calls->create_file(&file, access | SYNCHRONIZE, &attributes, &io, NULL, FILE_ATTRIBUTE_NORMAL,
				    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, disposition,
				    options | FILE_OPEN_REPARSE_POINT | FILE_SYNCHRONOUS_IO_NONALERT |
					    FILE_COMPLETE_IF_OPLOCKED,
				    NULL, 0);
	/* The file is open, but reads would wait for the process with an opportunistic lock, which any reader can take. */
	if (status == OPLOCK_BREAK_IN_PROGRESS) {
		(void)CloseHandle(file);
		return -EWOULDBLOCK;
	}
	/* The file is removed when its last handle is closed. */
	if (status == DELETE_PENDING)
		return -ENOENT;
	if (status < 0)
		return cprng_windows_error(calls->status_to_error(status));
	return (long)(intptr_t)file;
}

static long describe(HANDLE handle, struct cprng_os_file *file)
{
	BY_HANDLE_FILE_INFORMATION found;

	if (!GetFileInformationByHandle(handle, &found))
		return cprng_windows_error(GetLastError());
	*file = (struct cprng_os_file){
		.device = found.dwVolumeSerialNumber,
		.number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow,
		.size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow,
		.links = found.nNumberOfLinks,
		.regular = GetFileType(handle) == FILE_TYPE_DISK &&
			   (found.dwFileAttributes &
			    (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)) == 0,
		.owner_may_write = (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) == 0,
	};
	return cprng_windows_describe_access(handle, file);
}

static void close_handle(HANDLE handle)
{
	(void)CPRNG_QUIETLY(CloseHandle(handle));
}

const char *cprng_os_name_in_path(const char *path)
{
	const char *name = path;

	for (const char *p = path; *p != '\0'; p++) {
		if (*p == '/' || *p == '\\' || *p == ':')
			name = p + 1;
	}
	return name;
}

static long open_directory(const char *path)
{
	wchar_t wide[PATH_MAX_UNITS + 1];
	BY_HANDLE_FILE_INFORMATION found;
	long units = to_utf16(path, wide, PATH_MAX_UNITS);
	HANDLE directory;

	if (units < 0)
		return units;
	/* "C:" is a whole disk; "C:." is the process's current directory there. */
	if (units > 0 && wide[units - 1] == L':') {
		wide[units] = L'.';
		wide[units + 1] = L'\0';
	}
	/* With the right to add files: without it Windows would refuse to flush the directory to the disk. */
	directory = CreateFileW(wide, FILE_LIST_DIRECTORY | FILE_ADD_FILE | FILE_TRAVERSE,
				FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
				FILE_FLAG_BACKUP_SEMANTICS, NULL);
	if (directory == INVALID_HANDLE_VALUE)
		return cprng_windows_error(GetLastError());
	if (!GetFileInformationByHandle(directory, &found) ||
	    (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
		close_handle(directory);
		return -ENOTDIR;
	}
	return (long)(intptr_t)directory;
}

long cprng_os_open_directory(const char *path)
{
	return CPRNG_QUIETLY(open_directory(path));
}

static long find_file(int dir, const char *name, struct cprng_os_file *file)
{
	const long fd = open_named(dir, name, FILE_READ_ATTRIBUTES | READ_CONTROL, FILE_OPEN, 0, NULL);
	long r;

	if (fd < 0)
		return fd;
	r = describe(handle_of((int)fd), file);
	close_handle(handle_of((int)fd));
	return r;
}

long cprng_os_find_file(int dir, const char *name, struct cprng_os_file *file)
{
	return CPRNG_QUIETLY(find_file(dir, name, file));
}

static long open_file(int dir, const char *name)
{
	const long fd = open_named(dir, name, GENERIC_READ | GENERIC_WRITE, FILE_OPEN, FILE_NON_DIRECTORY_FILE, NULL);
	BY_HANDLE_FILE_INFORMATION found;

	if (fd >= 0 && GetFileInformationByHandle(handle_of((int)fd), &found) &&
	    (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
		close_handle(handle_of((int)fd));
		return -ELOOP;
	}
	return fd;
}

long cprng_os_open_file(int dir, const char *name)
{
	return CPRNG_QUIETLY(open_file(dir, name));
}

static long create_file(int dir, const char *name)
{
	struct cprng_windows_private mine;

	if (!cprng_windows_make_private(&mine))
		return cprng_windows_error(GetLastError());
	return open_named(dir, name, GENERIC_WRITE, FILE_CREATE, FILE_NON_DIRECTORY_FILE, &mine.descriptor);
}

long cprng_os_create_file(int dir, const char *name)
{
	return CPRNG_QUIETLY(create_file(dir, name));
}

long cprng_os_describe_file(int fd, struct cprng_os_file *file)
{
	return CPRNG_QUIETLY(describe(handle_of(fd), file));
}

static long try_lock(int fd)
{
	OVERLAPPED place = lock_place;

	return LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) ?
		       0 :
		       cprng_windows_error(GetLastError());
}

long cprng_os_try_lock_file(int fd)
{
	return CPRNG_QUIETLY(try_lock(fd));
}

void cprng_os_unlock_file(int fd)
{
	OVERLAPPED place = lock_place;

	(void)CPRNG_QUIETLY(UnlockFileEx(handle_of(fd), 0, 1, 0, &place));
}

static long read_file(int fd, void *buf, size_t len)
{
	DWORD done;

	return ReadFile(handle_of(fd), buf, len < INT32_MAX ? (DWORD)len : INT32_MAX, &done, NULL) ?
		       (long)done :
		       cprng_windows_error(GetLastError());
}

long cprng_os_read_file(int fd, void *buf, size_t len)
{
	return CPRNG_QUIETLY(read_file(fd, buf, len));
}

static long write_file(int fd, const void *buf, size_t len)
{
	DWORD done;

	return WriteFile(handle_of(fd), buf, len < INT32_MAX ? (DWORD)len : INT32_MAX, &done, NULL) ?
		       (long)done :
		       cprng_windows_error(GetLastError());
}

long cprng_os_write_file(int fd, const void *buf, size_t len)
{
	return CPRNG_QUIETLY(write_file(fd, buf, len));
}

static long sync_file(int fd)
{
	return FlushFileBuffers(handle_of(fd)) ? 0 : cprng_windows_error(GetLastError());
}

long cprng_os_sync_file(int fd)
{
	return CPRNG_QUIETLY(sync_file(fd));
}

static long rename_open(int fd, int dir, const char *to, int class, uint32_t flags)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();
	struct rename_information information = { .flags = flags, .directory = handle_of(dir) };
	const long units = to_utf16(to, information.name, CPRNG_ARRAY_SIZE(information.name));
	IO_STATUS_BLOCK io;
	NTSTATUS status;

	if (units < 0)
		return units;
	if (calls->set_information == NULL)
		return -ENOSYS;
	information.bytes = (uint32_t)units * 2;
	status = calls->set_information(handle_of(fd), &io, &information, sizeof(information), class);
	return status < 0 ? cprng_windows_error(calls->status_to_error(status)) : 0;
}

static long remove_file(int dir, const char *name)
{
	const long fd = open_named(dir, name, DELETE, FILE_OPEN, FILE_NON_DIRECTORY_FILE | FILE_DELETE_ON_CLOSE, NULL);

	if (fd < 0)
		return fd;
	close_handle(handle_of((int)fd));
	return 0;
}

long cprng_os_remove_file(int dir, const char *name)
{
	return CPRNG_QUIETLY(remove_file(dir, name));
}

/* Rename the file, which may be open, so that its name is free. */
static long move_aside(int dir, const char *name, const char *aside)
{
	const long fd = open_named(dir, name, DELETE, FILE_OPEN, FILE_NON_DIRECTORY_FILE, NULL);
	long r;

	if (fd < 0)
		return fd;
	r = rename_open((int)fd, dir, aside, RENAME, 0);
	close_handle(handle_of((int)fd));
	return r;
}

static bool is_in_the_way(long r)
{
	return r == -EACCES || r == -EBUSY || r == -EEXIST;
}

/*
 * Windows before version 1709 of 10, and some file systems, cannot replace an open file, and the old seed file is open.  There
 * the old file is renamed first.  If the system fails in between, no file has the name, as if there had never been one.  A file
 * that another process has put there meanwhile is also moved aside, and never gets the name back, because that process may have
 * used its content.
 */
static long replace_open(int fd, int dir, const char *from, const char *to)
{
	char aside[64], kept = '\0';
	const size_t len = strlen(from);
	long r = -EACCES, back = 0;

	if (len + 3 > sizeof(aside))
		return -ENAMETOOLONG;
	memcpy(aside, from, len);
	aside[len] = '.';
	aside[len + 2] = '\0';
	for (char number = 'a'; number <= 'z' && is_in_the_way(r); number++) {
		aside[len + 1] = number;
		if (move_aside(dir, to, aside) == 0) {
			/* The previous file is kept until the next one is moved aside. */
			if (kept != '\0') {
				aside[len + 1] = kept;
				(void)remove_file(dir, aside);
			}
			kept = number;
		}
		r = rename_open(fd, dir, to, RENAME, REPLACE_IF_EXISTS);
	}
	if (kept == '\0')
		return r;
	aside[len + 1] = kept;
	if (r < 0 && kept == 'a')
		back = move_aside(dir, aside, to);
	/* The name is not restored over the file of another process; a file that is not restored is removed. */
	if (r == 0 || kept != 'a' || back < 0)
		(void)remove_file(dir, aside);
	return r;
}

static long rename_file(int dir, const char *from, const char *to)
{
	const long fd = open_named(dir, from, DELETE, FILE_OPEN, FILE_NON_DIRECTORY_FILE, NULL);
	long r;

	if (fd < 0)
		return fd;
	r = rename_open((int)fd, dir, to, RENAME_EX, REPLACE_IF_EXISTS | POSIX_SEMANTICS);
	if (r < 0)
		r = rename_open((int)fd, dir, to, RENAME, REPLACE_IF_EXISTS);
	if (is_in_the_way(r))
		r = replace_open((int)fd, dir, from, to);
	close_handle(handle_of((int)fd));
	return r;
}

long cprng_os_rename_file(int dir, const char *from, const char *to)
{
	return CPRNG_QUIETLY(rename_file(dir, from, to));
}

void cprng_os_close_file(int fd)
{
	close_handle(handle_of(fd));
}

#endif

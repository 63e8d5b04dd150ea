/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: functions that are looked up at load time, and error numbers. */
#ifdef _WIN32

#include "os/windows/calls.h"

#include <errno.h>

static struct cprng_windows_calls calls;
static uint32_t looked_up;

typedef void (*function)(void);

/*
 * Load the module by its path in the system directory: not from the program's directory, in which another user may have placed a
 * file of this name, and not a module of this name that was loaded from there.
 */
static function of_module(const wchar_t *module, const char *name)
{
	wchar_t path[MAX_PATH + 32];
	const UINT len = GetSystemDirectoryW(path, MAX_PATH);
	HMODULE loaded;

	if (len == 0 || len >= MAX_PATH)
		return NULL;
	path[len] = L'\\';
	for (size_t i = 0;; i++) {
		path[len + 1 + i] = module[i];
		if (module[i] == L'\0')
			break;
	}
	loaded = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
	return loaded == NULL ? NULL : (function)GetProcAddress(loaded, name);
}

static void look_up(void)
{
	const DWORD last_error = GetLastError();

/* Concurrent threads find and store the same addresses. */
#define LOOK_UP(call, module, name) __atomic_store_n((function *)&calls.call, of_module(module, name), __ATOMIC_RELAXED)
	LOOK_UP(process_prng, L"bcryptprimitives.dll", "ProcessPrng");
	/*
	 * Before advapi32.dll, which forwards to it: the loader looks for the target of a forward in the program's directory
	 * first.  wine does not.
	 */
	if (calls.process_prng == NULL)
		LOOK_UP(rtl_gen_random, L"cryptbase.dll", "SystemFunction036");
	if (calls.process_prng == NULL && calls.rtl_gen_random == NULL)
		LOOK_UP(rtl_gen_random, L"advapi32.dll", "SystemFunction036");
	LOOK_UP(wait_on_address, L"kernelbase.dll", "WaitOnAddress");
	LOOK_UP(wake_by_address, L"kernelbase.dll", "WakeByAddressSingle");
	LOOK_UP(wer_exclude, L"kernel32.dll", "WerRegisterExcludedMemoryBlock");
	LOOK_UP(wer_include, L"kernel32.dll", "WerUnregisterExcludedMemoryBlock");
	LOOK_UP(create_file, L"ntdll.dll", "NtCreateFile");
	LOOK_UP(set_information, L"ntdll.dll", "NtSetInformationFile");
	LOOK_UP(status_to_error, L"ntdll.dll", "RtlNtStatusToDosError");
#undef LOOK_UP
	__atomic_store_n(&looked_up, 1, __ATOMIC_RELEASE);
	SetLastError(last_error);
}

/*
 * Look up when the library is loaded, because a look-up takes the loader's lock.  A draw that did so while it held a lock of the
 * library could deadlock with a thread that waits for that lock in DllMain().  Also keep the module loaded from now on, as
 * "-z nodelete" does elsewhere: its state outlives its user, and other threads may be in the middle of a draw.
 */
__attribute__((constructor)) static void at_load(void)
{
	HMODULE self;

	(void)GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
				 (const wchar_t *)&calls, &self);
	look_up();
}

const struct cprng_windows_calls *cprng_windows_calls(void)
{
	/* Another constructor may draw first. */
	if (CPRNG_UNLIKELY(__atomic_load_n(&looked_up, __ATOMIC_ACQUIRE) == 0))
		look_up();
	return &calls;
}

long cprng_windows_error(DWORD error)
{
	static const struct {
		DWORD windows;
		int number;
	} known[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT },      { ERROR_PATH_NOT_FOUND, ENOENT },
		{ ERROR_INVALID_NAME, ENOENT },        { ERROR_BAD_PATHNAME, ENOENT },
		{ ERROR_DELETE_PENDING, ENOENT },      { ERROR_BAD_NETPATH, ENOENT },
		{ ERROR_ACCESS_DENIED, EACCES },       { ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_SHARING_VIOLATION, EBUSY },    { ERROR_LOCK_VIOLATION, EWOULDBLOCK },
		{ ERROR_IO_PENDING, EWOULDBLOCK },     { ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_ALREADY_EXISTS, EEXIST },      { ERROR_DIRECTORY, ENOTDIR },
		{ ERROR_INVALID_HANDLE, EBADF },       { ERROR_DISK_FULL, ENOSPC },
		{ ERROR_HANDLE_DISK_FULL, ENOSPC },    { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
		{ ERROR_OUTOFMEMORY, ENOMEM },         { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
		{ ERROR_TOO_MANY_OPEN_FILES, EMFILE }, { ERROR_NOT_SUPPORTED, ENOSYS },
		{ ERROR_INVALID_FUNCTION, ENOSYS },    { ERROR_NO_UNICODE_TRANSLATION, EILSEQ },
		{ ERROR_INVALID_PARAMETER, EINVAL },
	};

	for (size_t i = 0; i < CPRNG_ARRAY_SIZE(known); i++) {
		if (known[i].windows == error)
			return -known[i].number;
	}
	return -EIO;
}

#endif

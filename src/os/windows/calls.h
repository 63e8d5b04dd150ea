/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of this folder: the headers of Windows, and the functions that are looked up when the library is loaded,
 * because some versions of Windows lack them or compilers do not link their import libraries by default.
 */
#ifndef CPRNG_OS_WINDOWS_CALLS_H
#define CPRNG_OS_WINDOWS_CALLS_H
#ifdef _WIN32

#include "core/port.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
/* Their many short macros would collide with names of the library in the single-file version. */
#ifndef NOGDI
#define NOGDI
#endif
#ifndef NOUSER
#define NOUSER
#endif
#include <windows.h>
#include <winternl.h>
#undef near
#undef far

CPRNG_BEGIN_DECLARATIONS

/* Evaluate a call, and restore the thread's last error after it. */
#define CPRNG_QUIETLY(call) \
	({ \
		const DWORD last_error = GetLastError(); \
		__typeof__(call) outcome = (call); \
		SetLastError(last_error); \
		outcome; \
	})

/* Each may be NULL. */
struct cprng_windows_calls {
	/* bcryptprimitives.dll, Windows 7 and later. */
	BOOL(WINAPI *process_prng)(uint8_t *buf, SIZE_T len);
	/* RtlGenRandom: SystemFunction036 of cryptbase.dll; used without ProcessPrng. */
	BOOLEAN(WINAPI *rtl_gen_random)(void *buf, ULONG len);
	/* KernelBase.dll, Windows 8 and later. */
	BOOL(WINAPI *wait_on_address)(volatile void *address, void *compared, SIZE_T len, DWORD milliseconds);
	void(WINAPI *wake_by_address)(void *address);
	/* kernel32.dll, Windows 10 version 1703 and later. */
	HRESULT(WINAPI *wer_exclude)(const void *address, DWORD len);
	HRESULT(WINAPI *wer_include)(const void *address);
	/* ntdll.dll: files relative to an open directory, which no other interface offers. */
	NTSTATUS(NTAPI *create_file)(HANDLE *file, ACCESS_MASK access, OBJECT_ATTRIBUTES *name, IO_STATUS_BLOCK *status,
				     LARGE_INTEGER *size, ULONG attributes, ULONG shared, ULONG disposition,
				     ULONG options, void *ea, ULONG ea_len);
	NTSTATUS(NTAPI *set_information)(HANDLE file, IO_STATUS_BLOCK *status, void *information, ULONG len, int what);
	ULONG(NTAPI *status_to_error)(NTSTATUS status);
};
const struct cprng_windows_calls *cprng_windows_calls(void);

/* Return the negative error number (-EACCES) for a Windows error. */
long cprng_windows_error(DWORD error);

struct cprng_os_file;

/* Fill in `trusted` and `exposed` from the owner and the access control list; a negative error number on failure. */
long cprng_windows_describe_access(HANDLE file, struct cprng_os_file *described);

/* A descriptor for a file to which only the calling user has access; on failure false, with the last error set. */
struct cprng_windows_private {
	SECURITY_DESCRIPTOR descriptor;
	/* SIDs and lists consist of 32-bit words. */
	uint32_t user[(sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE) / sizeof(uint32_t) + 1]
		__attribute__((aligned(sizeof(void *))));
	uint32_t list[(sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE) / sizeof(uint32_t) + 1];
};
bool cprng_windows_make_private(struct cprng_windows_private *made) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS

#endif
#endif

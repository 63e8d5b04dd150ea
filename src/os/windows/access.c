/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: the owner of a file, and whether other users have rights. */
#ifdef _WIN32

#include "os/os.h"
#include "os/windows/calls.h"

/* Room for some dozens of entries.  A longer list is assumed to grant rights to other users. */
enum { LIST_MAX = 4096 };

/* Get the user whose rights the calling thread has. */
static bool get_user(uint32_t *user, size_t size)
{
	HANDLE token;
	DWORD len;
	bool found;

	if (!OpenThreadToken(GetCurrentThread(), TOKEN_QUERY, TRUE, &token) &&
	    !OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return false;
	found = GetTokenInformation(token, TokenUser, user, (DWORD)size, &len) != 0;
	(void)CPRNG_QUIETLY(CloseHandle(token));
	return found;
}

static PSID sid_of(const uint32_t *user)
{
	return ((const TOKEN_USER *)(const void *)user)->User.Sid;
}

/* Return true for the user, and for accounts that can access any file, like root elsewhere. */
static bool is_trusted(PSID sid, PSID user)
{
	return EqualSid(sid, user) || IsWellKnownSid(sid, WinLocalSystemSid) ||
	       IsWellKnownSid(sid, WinBuiltinAdministratorsSid);
}

/*
 * Return true if an entry grants a right to other users.  A right counts even if another entry denies it, and so does an entry of
 * an unknown kind.
 */
static bool exposes(const ACE_HEADER *entry, PSID owner, PSID user)
{
	const ACCESS_ALLOWED_ACE *const allowed = (const ACCESS_ALLOWED_ACE *)(const void *)entry;
	PSID sid = (PSID)(uintptr_t)&allowed->SidStart;

	if ((entry->AceFlags & INHERIT_ONLY_ACE) != 0 || entry->AceType == ACCESS_DENIED_ACE_TYPE)
		return false;
	if (entry->AceType != ACCESS_ALLOWED_ACE_TYPE)
		return true;
	return allowed->Mask != 0 && !EqualSid(sid, owner) && !IsWellKnownSid(sid, WinCreatorOwnerRightsSid) &&
	       !is_trusted(sid, user);
}

static bool list_exposes(PACL list, PSID owner, PSID user)
{
	void *entry;

	/* A file without a list grants all rights to all users. */
	if (list == NULL)
		return true;
	for (DWORD i = 0; i < list->AceCount; i++) {
		if (!GetAce(list, i, &entry) || exposes(entry, owner, user))
			return true;
	}
	return false;
}

long cprng_windows_describe_access(HANDLE file, struct cprng_os_file *described)
{
	uint32_t user[sizeof(((struct cprng_windows_private *)NULL)->user) / sizeof(uint32_t)]
		__attribute__((aligned(sizeof(void *))));
	uint32_t security[LIST_MAX / sizeof(uint32_t)];
	BOOL present, defaulted;
	PSID owner = NULL;
	PACL list = NULL;
	DWORD len;

	if (!get_user(user, sizeof(user)))
		return cprng_windows_error(GetLastError());
	/* Remains true if the list is too long; then only the owner is read. */
	described->exposed = true;
	if (!GetKernelObjectSecurity(file, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, security,
				     sizeof(security), &len)) {
		if (GetLastError() != ERROR_INSUFFICIENT_BUFFER ||
		    !GetKernelObjectSecurity(file, OWNER_SECURITY_INFORMATION, security, sizeof(security), &len))
			return cprng_windows_error(GetLastError());
	} else if (!GetSecurityDescriptorDacl(security, &present, &list, &defaulted)) {
		return cprng_windows_error(GetLastError());
	}
	if (!GetSecurityDescriptorOwner(security, &owner, &defaulted))
		return cprng_windows_error(GetLastError());
	described->trusted = owner != NULL && is_trusted(owner, sid_of(user));
	if (owner != NULL)
		described->exposed = list_exposes(list, owner, sid_of(user));
	return 0;
}

bool cprng_windows_make_private(struct cprng_windows_private *made)
{
	ACL *const list = (ACL *)(void *)made->list;

	return get_user(made->user, sizeof(made->user)) &&
	       InitializeSecurityDescriptor(&made->descriptor, SECURITY_DESCRIPTOR_REVISION) &&
	       InitializeAcl(list, sizeof(made->list), ACL_REVISION) &&
	       AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS, sid_of(made->user)) &&
	       SetSecurityDescriptorDacl(&made->descriptor, TRUE, list, FALSE) &&
	       SetSecurityDescriptorOwner(&made->descriptor, sid_of(made->user), FALSE) &&
	       /* Inherit no entries from the directory. */
	       SetSecurityDescriptorControl(&made->descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
}

#endif

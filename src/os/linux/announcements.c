/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/announcements.h"

#include "os/linux/sys.h"

/* The file that programs use unless their environment names another one; "" for none. */
#ifndef CPRNG_GENERATION_FILE
#define CPRNG_GENERATION_FILE "/run/cprng/generation"
#endif

_Static_assert(sizeof(CPRNG_GENERATION_FILE) < CPRNG_FILE_NAME_MAX, "the installed name is not refused");

/* A name that is too long is truncated, and refused later. */
static void name_file(char name[CPRNG_FILE_NAME_MAX])
{
	const char *named = cprng_sys_environment("CPRNG_GENERATION_FILE");
	const char *from = named != NULL ? named : CPRNG_GENERATION_FILE;
	const size_t len = strnlen(from, CPRNG_FILE_NAME_MAX - 1);

	memcpy(name, from, len);
	name[len] = '\0';
}

void cprng_announcements_find(struct cprng_os_announcements *found)
{
	name_file(found->file_name);
	found->vmclock = cprng_vmclock_map();
	found->sysgenid = cprng_sysgenid_map();
	found->file = cprng_generation_file_map(found->file_name, &found->file_state);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* All pages that announce clones (os.h), combined into one generation. */
#ifndef CPRNG_OS_LINUX_ANNOUNCEMENTS_H
#define CPRNG_OS_LINUX_ANNOUNCEMENTS_H

#include "os/linux/generation_file.h"
#include "os/linux/vmclock.h"
#include "os/os.h"

#if defined(__linux__) && !defined(CPRNG_POSIX) /* other systems define their own struct of this name */
CPRNG_BEGIN_DECLARATIONS

struct cprng_os_announcements {
	/* NULL where a page does not exist. */
	const void *vmclock, *sysgenid, *file;
	const char *file_state;              /* a string of cprng_generation_file_map() */
	char file_name[CPRNG_FILE_NAME_MAX]; /* "": none */
};

/* Map all pages.  Reads the environment, and opens and closes files: not for a process that may be in a sandbox. */
void cprng_announcements_find(struct cprng_os_announcements *found);

CPRNG_END_DECLARATIONS
#endif
#endif

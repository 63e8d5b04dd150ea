/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages that announce clones (os.h), all of them, as one generation. */
#ifndef CPRNG_OS_LINUX_ANNOUNCEMENTS_H
#define CPRNG_OS_LINUX_ANNOUNCEMENTS_H

#include "os/linux/generation_file.h"
#include "os/linux/vmclock.h"
#include "os/os.h"

#if defined(__linux__) && !defined(CPRNG_POSIX) /* other systems have others of this name */
CPRNG_BEGIN_DECLARATIONS

struct cprng_os_announcements {
	/* NULL for each that is not there. */
	const void *vmclock, *sysgenid, *file;
	const char *file_state;              /* as generation_file.h has it */
	char file_name[CPRNG_FILE_NAME_MAX]; /* "": none is named */
};

/* Map all of them.  Reads the environment, opens and closes files: not for a process that may be in a sandbox. */
void cprng_announcements_find(struct cprng_os_announcements *found);

CPRNG_END_DECLARATIONS
#endif
#endif

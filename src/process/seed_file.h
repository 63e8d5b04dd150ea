/* SPDX-License-Identifier: BSD-2-Clause */
/* The seed file: it carries entropy across a restart, and none of its contents is used twice. */
#ifndef CPRNG_PROCESS_SEED_FILE_H
#define CPRNG_PROCESS_SEED_FILE_H

#include "process/process_fortuna.h"

CPRNG_BEGIN_DECLARATIONS

enum { CPRNG_SEED_FILE_SIZE = 64 };

/*
 * Replace the content of the file and mix the old one into the process's Fortuna, in this order: a content that could
 * not be replaced is not used.  path is not empty.  Where pages cannot be wiped, the process has no Fortuna: the content is
 * replaced, and mixed into nothing, since all of cprng_strong() comes from the operating system there.
 *
 * Returns what cprng_seed_file() does.  With CPRNG_ERR_SYSTEM, *error is the negative error number.  The file is as it
 * was after an error, with one exception: when the directory cannot be brought to the disk, after the rename.
 */
int cprng_seed_file_exchange(struct cprng_process *p, const char *path, long *error) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS
#endif

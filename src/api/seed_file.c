/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/process.h"
#include "process/seed_file.h"

#include <errno.h>

int cprng_seed_file(const char *path)
{
	long error = 0;
	int status;

	if (path == NULL || *path == '\0')
		return CPRNG_ERR_ARGUMENT;
	status = cprng_seed_file_exchange(cprng_process(), path, &error);
	if (status == CPRNG_ERR_SYSTEM)
		errno = (int)-error;
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program of subject.h has of its own when it draws by an adapter: nothing. */
#include <stddef.h>

#include "../subject.h"

void prepare_thread(void)
{
}

const struct mode other_modes[] = {
	{ NULL, NULL },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* The additional functions of subject.h's program when it draws by an adapter: none. */
#include <stddef.h>

#include "../subject.h"

void prepare_thread(void)
{
}

const struct mode other_modes[] = {
	{ NULL, NULL },
};

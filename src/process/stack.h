/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions that have returned left in their frames. */
#ifndef CPRNG_PROCESS_STACK_H
#define CPRNG_PROCESS_STACK_H

#include "core/wipe.h"

/*
 * Variables are wiped where they are used.  But a compiler may have a part of one in a register that a function saves in
 * its own frame, and nothing in C tells which.  2 KiB are more than the frames of a read from Fortuna or of a poll, and no
 * more than a signal's alternate stack has room for at that depth.
 */
CPRNG_NOINLINE __attribute__((unused)) static void cprng_wipe_stack(void)
{
	uint8_t frames[2048] __attribute__((aligned(64)));

	cprng_wipe_lines(frames, sizeof(frames));
}

#endif

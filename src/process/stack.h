/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of what functions left in their frames when they returned. */
#ifndef CPRNG_PROCESS_STACK_H
#define CPRNG_PROCESS_STACK_H

#include "core/wipe.h"

/*
 * Wipe the 2 KiB of stack below the caller.  Variables are wiped where they are used.  But a compiler may keep a part of a
 * variable in a register that a function saves in its own frame, which C cannot address.  2 KiB are more than the frames
 * of a read from Fortuna or of a poll, and an alternate stack of a signal has room for them at that depth.
 */
CPRNG_NOINLINE __attribute__((unused)) static void cprng_wipe_stack(void)
{
	uint8_t frames[2048] __attribute__((aligned(64)));

	cprng_wipe_lines(frames, sizeof(frames));
}

#endif

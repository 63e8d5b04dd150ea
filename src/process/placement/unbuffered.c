/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No buffer.  Where the operating system cannot wipe pages in a forked child (POSIX, Linux before 4.14, emulators that only
 * pretend), every draw is made of fresh bytes of the system, and a fork copies nothing.
 */
#include "process/state.h"

static bool unbuffered_pop(struct cprng_process *p, uint8_t *dst, size_t len)
{
	(void)p;
	(void)dst;
	(void)len;
	return false;
}

static uint64_t unbuffered_take_key(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	(void)p;
	(void)key;
	return 0;
}

static void unbuffered_put_key(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE],
			       uint64_t tag)
{
	(void)p;
	(void)generation;
	(void)key;
	(void)tag;
}

static void unbuffered_push(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len)
{
	(void)p;
	(void)generation;
	(void)src;
	(void)len;
}

static void unbuffered_erase(struct cprng_process *p)
{
	(void)p;
}

static uint32_t index_none(struct cprng_process *p)
{
	(void)p;
	return 0;
}

const struct cprng_placement cprng_placement_unbuffered = {
	.name = "unbuffered",
	.pop = unbuffered_pop,
	.take_key = unbuffered_take_key,
	.put_key = unbuffered_put_key,
	.push = unbuffered_push,
	.erase = unbuffered_erase,
	.index = index_none,
};

/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "core/wipe.h"
#include "process/generation.h"
#include "process/process.h"
#include "process/vfork.h"

void cprng_invalidate(void)
{
	struct cprng_process *p = cprng_process();

	cprng_generation_restore_wiping(p);
	cprng_generation_invalidate(p);
}

void cprng_vfork_child(void)
{
	cprng_vfork_disable_buffers(cprng_process());
}

int cprng_reseed(void)
{
	struct cprng_process *p = cprng_process();
	uint8_t probe[32];
	long r = cprng_os_entropy(probe, sizeof(probe));

	cprng_wipe(probe, sizeof(probe));
	if (r != 0)
		return CPRNG_ERR_ENTROPY;
	cprng_generation_restore_wiping(p);
	/* Buffers without keys are keyed by the kernel at their next refill. */
	cprng_generation_invalidate(p);
	return CPRNG_OK;
}

const char *cprng_strerror(int error)
{
	switch (error) {
	case CPRNG_OK:
		return "no error";
	case CPRNG_ERR_ENGINE:
		return "unknown engine";
	case CPRNG_ERR_KEY_SIZE:
		return "key size not taken by the engine";
	case CPRNG_ERR_NONCE_SIZE:
		return "nonce size not taken by the engine";
	case CPRNG_ERR_RANGE:
		return "past the end of the keystream";
	case CPRNG_ERR_ENTROPY:
		return "no random numbers from the kernel";
	case CPRNG_ERR_SELFTEST:
		return "no backend of the engine passes its known answers";
	case CPRNG_ERR_ARGUMENT:
		return "invalid argument";
	case CPRNG_ERR_SOURCE:
		return "unknown entropy source";
	case CPRNG_ERR_SIZE:
		return "too many bytes for an event, or too few for a seed";
	case CPRNG_ERR_FULL:
		return "the harvest queue is full";
	case CPRNG_ERR_UNSEEDED:
		return "not seeded yet";
	case CPRNG_ERR_MEMORY:
		return "out of memory";
	case CPRNG_ERR_UNSUPPORTED:
		return "pages cannot be wiped on a fork here";
	case CPRNG_ERR_SYSTEM:
		return "a system call failed";
	case CPRNG_ERR_FILE_TYPE:
		return "not a regular file of at most 64 bytes under one name";
	case CPRNG_ERR_FILE_OWNER:
		return "the file belongs to another user";
	case CPRNG_ERR_BUSY:
		return "another process holds the lock of the file";
	case CPRNG_ERR_CHECKPOINT:
		return "not a checkpoint of a stream, or not a whole one";
	default:
		return "unknown error";
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "api/sized.h"
#include "core/buffer.h"
#include "engine/engine.h"
#include "numbers/numbers.h"
#include "process/draw.h"
#include "process/kernel_bytes.h"
#include "process/process.h"

#define STRING(x) #x
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

const char *cprng_version(void)
{
	return VERSION(CPRNG_VERSION_MAJOR, CPRNG_VERSION_MINOR, CPRNG_VERSION_PATCH);
}

static const char *memory_lock(const struct cprng_process *p)
{
	if (!cprng_has_buffers(p))
		return "none";
	return p->fork_state->memory_lock_failed ? "refused" : "locked";
}

/* The padding of these structures is zero as well: a field of a later version may lie there. */

void cprng_get_info(struct cprng_info *info, size_t size)
{
	const struct cprng_process *p;
	struct cprng_os_announced announced;
	uint8_t drawn[CPRNG_KEY_SIZE];
	struct cprng_info known;
	bool buffered;

	if (info == NULL)
		return;
	p = cprng_process();
	announced = cprng_os_announced();
	buffered = cprng_has_buffers(p);
	/* The first refill tries to lock memory, and the first draw makes no refill (process/draw.c). */
	cprng_fast(drawn, sizeof(drawn));
	cprng_draw_by_refill(cprng_process(), drawn, sizeof(drawn));
	cprng_wipe(drawn, sizeof(drawn));

	memset(&known, 0, sizeof(known));
	known.engine = p->engine->name;
	known.backend = p->backend->name;
	known.placement = p->placement->name;
	known.entropy = cprng_kernel_bytes_name(p);
	known.fork_guard = buffered ? cprng_os_fork_guard : "unbuffered";
	known.memory_lock = memory_lock(p);
	known.buffers = p->buffer_count;
	known.state_bytes = buffered ? sizeof(struct cprng_buffer) : 0;
	known.buffer_bytes = buffered ? CPRNG_BUFFER_SIZE : 0;
	known.refills_per_reseed = buffered ? CPRNG_REFILLS_PER_RESEED : 1;
	known.seconds_per_reseed = buffered ? CPRNG_SECONDS_PER_RESEED : 0;
	known.announcements = announced.pages;
	known.generation_file = announced.file;
	known.generation_file_state = announced.file_state;
	cprng_copy_sized(info, size, &known, sizeof(known));
}

int cprng_get_engine(unsigned int index, struct cprng_engine_info *info, size_t size)
{
	const struct cprng_engine *e = cprng_engines;
	struct cprng_engine_info known;

	if (info == NULL)
		return CPRNG_ERR_ARGUMENT;
	for (; e->name != NULL; e++, index--) {
		if (index != 0)
			continue;
		memset(&known, 0, sizeof(known));
		known.name = e->name;
		memcpy(known.key_sizes, e->key_sizes, sizeof(known.key_sizes));
		memcpy(known.nonce_sizes, e->nonce_sizes, sizeof(known.nonce_sizes));
		known.block_size = e->block_size;
		known.rounds = e->rounds;
		cprng_copy_sized(info, size, &known, sizeof(known));
		return CPRNG_OK;
	}
	return CPRNG_ERR_ARGUMENT;
}

int cprng_selftest(void (*report)(const struct cprng_selftest_result *result, void *arg), void *arg)
{
	int failures = 0;

	for (const struct cprng_engine *e = cprng_engines; e->name != NULL; e++) {
		const struct cprng_backend *selected = cprng_engine_select(e);

		for (const struct cprng_backend *b = e->family->backends; b->name != NULL; b++) {
			struct cprng_selftest_result result = {
				.engine = e->name,
				.backend = b->name,
				.usable = cprng_backend_usable(b),
				.selected = b == selected,
			};

			if (result.usable)
				result.failed = cprng_engine_selftest(e, b);
			failures += result.failed != 0;
			if (report != NULL)
				report(&result, arg);
		}
	}
	for (const struct cprng_numbers_backend *b = cprng_numbers_backends; b->name != NULL; b++) {
		struct cprng_selftest_result result = {
			.engine = "numbers",
			.backend = b->name,
			.usable = cprng_numbers_usable(b),
			.selected = b == cprng_numbers_select(),
		};

		if (result.usable)
			result.failed = cprng_numbers_selftest(b);
		failures += result.failed != 0;
		if (report != NULL)
			report(&result, arg);
	}
	return failures;
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

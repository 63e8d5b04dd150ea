/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "core/buffer.h"
#include "engine/engine.h"
#include "linux/entropy.h"
#include "linux/placement.h"
#include "linux/process.h"
#include "linux/serve.h"

#define STRING(x) #x
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

const char *cprng_version(void)
{
	return VERSION(CPRNG_VERSION_MAJOR, CPRNG_VERSION_MINOR, CPRNG_VERSION_PATCH);
}

static const char *memory_lock(const struct cprng_process *p)
{
	if (p->wiped == NULL)
		return "none";
	return p->wiped->memory_lock_failed ? "refused" : "locked";
}

void cprng_get_info(struct cprng_info *info)
{
	const struct cprng_process *p = cprng_process();
	const bool buffered = p->wiped != NULL;
	uint8_t drawn[CPRNG_POP_MIN];

	/* Whether memory may be locked is known after the first draw. */
	cprng_fast(drawn, sizeof(drawn));
	cprng_wipe(drawn, sizeof(drawn));

	*info = (struct cprng_info){
		.engine = p->engine->name,
		.backend = p->backend->name,
		.placement = p->placement->name,
		.entropy = cprng_entropy_name(p),
		.fork_guard = buffered ? "wipe-on-fork" : "unbuffered",
		.memory_lock = memory_lock(p),
		.cpus = p->states,
		.state_bytes = buffered ? sizeof(struct cprng_buffer) : 0,
		.buffer_bytes = buffered ? CPRNG_BUFFER_SIZE : 0,
		.refills_per_reseed = buffered ? CPRNG_REFILLS_PER_RESEED : 1,
		.seconds_per_reseed = buffered ? CPRNG_SECONDS_PER_RESEED : 0,
	};
}

int cprng_get_engine(unsigned int index, struct cprng_engine_info *info)
{
	const struct cprng_engine *e = cprng_engines;

	if (info == NULL)
		return CPRNG_ERR_ARGUMENT;
	for (; e->name != NULL; e++, index--) {
		if (index != 0)
			continue;
		*info = (struct cprng_engine_info){
			.name = e->name,
			.key_sizes = { e->key_sizes[0], e->key_sizes[1] },
			.nonce_sizes = { e->nonce_sizes[0], e->nonce_sizes[1] },
			.block_size = e->block_size,
			.rounds = e->rounds,
		};
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
	return failures;
}

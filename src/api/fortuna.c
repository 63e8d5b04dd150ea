/* SPDX-License-Identifier: BSD-2-Clause */
/* The process's Fortuna, its seed file, and the Fortunas of the program. */
#include <cprng/cprng.h>
#include <cprng/fortuna.h>

#include "api/sized.h"
#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/registers.h"
#include "engine/engine.h"
#include "process/fortuna_object.h"
#include "process/kernel_bytes.h"
#include "process/process.h"
#include "process/process_fortuna.h"
#include "process/seed_file.h"
#include "process/vm_clone.h"

#include <errno.h>

_Static_assert(CPRNG_SOURCE_APPLICATION >= CPRNG_SOURCES_OWN, "numbers of sources");
_Static_assert(CPRNG_FORTUNA_EVENT_MAX == (int)CPRNG_EVENT_MAX, "stated in the public header");
_Static_assert(CPRNG_FORTUNA_SOURCES == (int)CPRNG_SOURCES, "stated in the public header");

/* Check the arguments of an event except the source, and make *event, which the caller wipes.  Returns 0 or the error. */
static int make_event(struct cprng_event *event, unsigned int source, const void *buf, size_t len,
		      unsigned int entropy_bits)
{
	if (len > CPRNG_EVENT_MAX)
		return CPRNG_ERR_SIZE;
	if (entropy_bits > 8 * len || (buf == NULL && len != 0))
		return CPRNG_ERR_ARGUMENT;
	memset(event, 0, sizeof(*event));
	event->source = (uint8_t)source;
	event->len = (uint8_t)len;
	event->entropy_bits = (uint16_t)entropy_bits;
	if (len != 0)
		memcpy(event->payload, buf, len);
	return CPRNG_OK;
}

/* ----------------------------------------------------------------------------------------------------- the process's */

CPRNG_CLEARS void cprng_strong(void *buf, size_t len)
{
	if (len != 0)
		cprng_strong_read(cprng_process(), (uint8_t *)buf, len);
}

CPRNG_CLEARS int cprng_add_entropy(unsigned int source, const void *buf, size_t len, unsigned int entropy_bits)
{
	struct cprng_event event;
	int error;

	if (source >= CPRNG_APPLICATION_SOURCES)
		return CPRNG_ERR_SOURCE;
	error = make_event(&event, CPRNG_SOURCE_APPLICATION + source, buf, len, entropy_bits);
	if (error != CPRNG_OK || len == 0)
		return error;
	error = cprng_strong_add(cprng_process(), &event) == CPRNG_FORTUNA_OK ? CPRNG_OK : CPRNG_ERR_FULL;
	cprng_wipe(&event, sizeof(event));
	cprng_clear_registers();
	return error;
}

void cprng_strong_set_locked_reads(int on)
{
	cprng_strong_set_locked(cprng_process(), on != 0);
}

void cprng_get_strong_info(struct cprng_strong_info *info, size_t size)
{
	struct cprng_process *p;
	struct cprng_strong_info known;
	uint8_t probe[1];

	if (info == NULL)
		return;
	p = cprng_process();
	cprng_strong_read(p, probe, sizeof(probe));
	cprng_strong_describe(p, &known);
	cprng_copy_sized(info, size, &known, sizeof(known));
}

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

/* ----------------------------------------------------------------------------------------------------- the program's */

static int choose_engine(const char *name, struct cprng_fortuna_core *core)
{
	if (name == NULL)
		return cprng_engine_default(&core->engine, &core->backend) ? CPRNG_OK : CPRNG_ERR_SELFTEST;
	core->engine = cprng_engine_find(name);
	if (core->engine == NULL || !core->engine->is_for_generators)
		return CPRNG_ERR_ENGINE;
	core->backend = cprng_engine_select(core->engine);
	return core->backend != NULL ? CPRNG_OK : CPRNG_ERR_SELFTEST;
}

/*
 * Copy the options that this version knows.  Bytes of options that it does not know must be zero: to ignore an option
 * would be a quiet failure.
 */
static int take_options(struct cprng_fortuna_options *known, const struct cprng_fortuna_options *options, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)options;

	if (options == NULL)
		size = 0;
	for (size_t i = sizeof(*known); i < size; i++) {
		if (bytes[i] != 0)
			return CPRNG_ERR_ARGUMENT;
	}
	memset(known, 0, sizeof(*known));
	if (size != 0)
		cprng_copy_sized(known, sizeof(*known), options, size);
	return CPRNG_OK;
}

int cprng_fortuna_new(cprng_fortuna **f, const struct cprng_fortuna_options *options, size_t size)
{
	struct cprng_fortuna_options known;
	struct cprng_fortuna_core core = { 0 };
	const struct cprng_fortuna_hooks *hooks;
	int error;

	if (f == NULL)
		return CPRNG_ERR_ARGUMENT;
	*f = NULL;
	error = take_options(&known, options, size);
	if (error != CPRNG_OK)
		return error;
	core.pool_min = known.pool_min != 0 ? known.pool_min : CPRNG_POOL_MIN_DEFAULT;
	core.locked_reads = known.locked_reads != 0;
	hooks = known.hooks;
	if (hooks != NULL && hooks->lock == NULL && hooks->try_lock == NULL && hooks->unlock == NULL &&
	    hooks->now == NULL)
		hooks = NULL;
	if (core.pool_min < CPRNG_POOL_MIN_LEAST || core.pool_min > CPRNG_POOL_MIN_MOST)
		return CPRNG_ERR_ARGUMENT;
	if (hooks != NULL &&
	    (hooks->lock == NULL || hooks->try_lock == NULL || hooks->unlock == NULL || hooks->now == NULL))
		return CPRNG_ERR_ARGUMENT;
	error = choose_engine(known.engine, &core);
	return error != CPRNG_OK ? error : cprng_fortuna_object_map(cprng_process(), f, &core, hooks);
}

void cprng_fortuna_free(cprng_fortuna *f)
{
	if (f != NULL)
		cprng_fortuna_object_unmap(cprng_process(), f);
}

CPRNG_CLEARS int cprng_fortuna_add(cprng_fortuna *f, unsigned int source, const void *buf, size_t len,
				   unsigned int entropy_bits)
{
	struct cprng_event event;
	int error;

	if (f == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (source >= CPRNG_SOURCES)
		return CPRNG_ERR_SOURCE;
	error = make_event(&event, source, buf, len, entropy_bits);
	if (error != CPRNG_OK || len == 0)
		return error;
	cprng_vm_clone_note(cprng_process());
	/* Not by cprng_fortuna_object_core(), which waits: a queue that a fork has wiped is empty and usable. */
	error = cprng_fortuna_core_put(&f->core, &event) == CPRNG_FORTUNA_OK ? CPRNG_OK : CPRNG_ERR_FULL;
	cprng_wipe(&event, sizeof(event));
	cprng_clear_registers();
	return error;
}

size_t cprng_fortuna_drain(cprng_fortuna *f)
{
	return f != NULL ? cprng_fortuna_core_drain(cprng_fortuna_object_core(f)) : 0;
}

CPRNG_CLEARS int cprng_fortuna_seed(cprng_fortuna *f, const void *buf, size_t len)
{
	if (f == NULL || buf == NULL)
		return CPRNG_ERR_ARGUMENT;
	if (len < CPRNG_GENERATOR_KEY_SIZE)
		return CPRNG_ERR_SIZE;
	/* A handler that maps the seed's pages may fork: let it do so before there is a key, which both processes would share. */
	cprng_touch_source_pages(buf, len);
	/* The seed belongs to this clone; the next read detects later clones. */
	(void)cprng_vm_clone_check(cprng_process());
	(void)cprng_fortuna_core_seed(cprng_fortuna_object_core(f), buf, len, CPRNG_WAIT);
	return CPRNG_OK;
}

CPRNG_DEFINE_WIPE_STACK(fortuna_wipe_stack, cprng_wipe_unit, CPRNG_FORTUNA_FRAMES / sizeof(cprng_wipe_unit))

/*
 * Event:    a signal handler forks, or the process is invalidated, after the last piece was leased.
 * Reason:   parent and child would return with the same bytes, or the bytes would be older than the invalidation.
 * Pairing:  either changes the object's moment.  The bytes are erased, and the next read finds the object unseeded.
 */
CPRNG_CLEARS int cprng_fortuna_read(cprng_fortuna *f, void *buf, size_t len)
{
	const struct cprng_fortuna_core *core;
	uint64_t moment;
	int status;

	if (f == NULL || (buf == NULL && len != 0) || !cprng_has_end(buf, len))
		return CPRNG_ERR_ARGUMENT;
	if (CPRNG_UNLIKELY(!cprng_vm_clone_check(cprng_process())))
		return CPRNG_ERR_UNSEEDED;
	for (;;) {
		core = cprng_fortuna_object_core(f);
		moment = cprng_fortuna_object_moment(f);
		status = cprng_fortuna_core_read(core, buf, len, CPRNG_WAIT);
		fortuna_wipe_stack();
		if (CPRNG_LIKELY(cprng_fortuna_object_moment(f) == moment) || len == 0)
			break;
		cprng_wipe(buf, len);
	}
	return status == CPRNG_FORTUNA_OK ? CPRNG_OK : CPRNG_ERR_UNSEEDED;
}

void cprng_fortuna_set_locked_reads(cprng_fortuna *f, int on)
{
	if (f != NULL)
		__atomic_store_n(&f->core.locked_reads, on != 0, __ATOMIC_RELAXED);
}

int cprng_fortuna_get_info(cprng_fortuna *f, struct cprng_fortuna_info *info, size_t size)
{
	const struct cprng_fortuna_core *core;
	struct cprng_fortuna_counts counts;
	struct cprng_fortuna_info known;

	if (f == NULL || info == NULL)
		return CPRNG_ERR_ARGUMENT;
	core = cprng_fortuna_object_core(f);
	memset(&known, 0, sizeof(known));
	known.engine = core->engine->name;
	known.backend = core->backend->name;
	known.locked_reads = __atomic_load_n(&core->locked_reads, __ATOMIC_RELAXED) != 0;
	known.pool_min = core->pool_min;
	known.dropped = __atomic_load_n(&core->state->harvest.dropped, __ATOMIC_RELAXED);
	cprng_fortuna_core_count(core, &counts);
	known.reseeds = counts.reseeds;
	known.events = counts.events;
	known.seeded = counts.seeded;
	cprng_copy_sized(info, size, &known, sizeof(known));
	return CPRNG_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/fortuna_object.h"

#include "core/wipe.h"
#include "os/os.h"

_Static_assert(sizeof(struct cprng_os_signals) == 2 * sizeof(uint64_t), "a token has room for the signals");

static void block_signals(uint64_t token[2])
{
	struct cprng_os_signals saved;

	cprng_os_block_signals(&saved);
	memcpy(token, saved.word, sizeof(saved.word));
}

static void restore_signals(const uint64_t token[2])
{
	struct cprng_os_signals saved;

	memcpy(saved.word, token, sizeof(saved.word));
	cprng_os_restore_signals(&saved);
}

static void own_lock(void *arg, int which, uint64_t token[2])
{
	block_signals(token);
	cprng_lock_take(&((struct cprng_fortuna *)arg)->secret->lock[which]);
}

static int own_try_lock(void *arg, int which, uint64_t token[2])
{
	block_signals(token);
	if (cprng_lock_try(&((struct cprng_fortuna *)arg)->secret->lock[which]))
		return 1;
	restore_signals(token);
	return 0;
}

static void own_unlock(void *arg, int which, const uint64_t token[2])
{
	cprng_lock_release(&((struct cprng_fortuna *)arg)->secret->lock[which]);
	restore_signals(token);
}

static uint64_t own_now(void *arg)
{
	return cprng_clock_or_count(&((struct cprng_fortuna *)arg)->looks);
}

/* Without `apart`: the output of an object follows from what its owner gave it. */
static const struct cprng_fortuna_port own_port = { own_lock, own_try_lock, own_unlock, own_now, NULL };

void cprng_fortuna_claims_set_up(struct cprng_harvest_claims *claims)
{
	claims->this_thread = cprng_os_this_thread;
	claims->is_first_thread = cprng_os_is_first_thread;
}

static void lock_list(const struct cprng_process *p, struct cprng_os_signals *saved)
{
	cprng_os_block_signals(saved);
	cprng_lock_take(&p->fork_state->lock);
}

static void unlock_list(const struct cprng_process *p, const struct cprng_os_signals *saved)
{
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(saved);
}

/*
 * Event:    another thread forks while this one changes the list.
 * Reason:   the child finds the lock free, and goes through the list as it is.
 * Pairing:  one store adds an object that is complete, and one store removes an object that is still mapped.
 */
static void add_to_list(struct cprng_process *p, struct cprng_fortuna *object)
{
	struct cprng_os_signals saved;

	lock_list(p, &saved);
	object->next = p->objects;
	__atomic_store_n(&p->objects, object, __ATOMIC_RELEASE);
	unlock_list(p, &saved);
}

static void remove_from_list(struct cprng_process *p, const struct cprng_fortuna *object)
{
	struct cprng_fortuna **at = &p->objects;
	struct cprng_os_signals saved;

	lock_list(p, &saved);
	while (*at != NULL && *at != object)
		at = &(*at)->next;
	if (*at != NULL)
		__atomic_store_n(at, object->next, __ATOMIC_RELEASE);
	unlock_list(p, &saved);
}

int cprng_fortuna_object_map(struct cprng_process *p, struct cprng_fortuna **object,
			     const struct cprng_fortuna_core *options, const struct cprng_fortuna_hooks *hooks)
{
	const size_t page = cprng_os_page_size();
	const size_t secret = (sizeof(struct cprng_fortuna_secret) + page - 1) / page * page, mapped = page + secret;
	uint8_t *const pages = cprng_os_map(mapped);
	struct cprng_fortuna *const f = (struct cprng_fortuna *)pages;

	if (pages == NULL)
		return CPRNG_ERR_MEMORY;
	if (!cprng_os_wipe_on_fork(pages + page, secret)) {
		cprng_os_unmap(pages, mapped);
		return CPRNG_ERR_UNSUPPORTED;
	}
	/* No invalidation would reach the object. */
	if (!cprng_has_buffers(p)) {
		cprng_os_unmap(pages, mapped);
		return CPRNG_ERR_MEMORY;
	}
	f->page = page;
	f->mapped = mapped;
	f->secret = (struct cprng_fortuna_secret *)(pages + page);
	f->core = *options;
	f->core.state = &f->secret->state;
	f->port = own_port;
	f->core.arg = f;
	if (hooks != NULL) {
		f->port = (struct cprng_fortuna_port){ hooks->lock, hooks->try_lock, hooks->unlock, hooks->now, NULL };
		f->core.arg = hooks->arg;
	}
	f->core.port = &f->port;
	cprng_fortuna_claims_set_up(&f->claims);
	f->core.claims = &f->claims;
	add_to_list(p, f);
	*object = f;
	return CPRNG_OK;
}

void cprng_fortuna_object_unmap(struct cprng_process *p, struct cprng_fortuna *object)
{
	remove_from_list(p, object);
	cprng_wipe(object->secret, sizeof(*object->secret));
	cprng_os_unmap(object, object->mapped);
}

void cprng_fortuna_objects_invalidate(const struct cprng_process *p)
{
	for (const struct cprng_fortuna *f = p->objects; f != NULL; f = f->next)
		cprng_fortuna_core_invalidate(&f->core);
}

void cprng_fortuna_objects_restore_wiping(const struct cprng_process *p)
{
	struct cprng_os_signals saved;

	if (__atomic_load_n(&p->objects, __ATOMIC_ACQUIRE) == NULL)
		return;
	lock_list(p, &saved);
	for (const struct cprng_fortuna *f = p->objects; f != NULL; f = f->next)
		(void)!cprng_os_wipe_on_fork(f->secret, f->mapped - f->page);
	unlock_list(p, &saved);
}

const struct cprng_fortuna_core *cprng_fortuna_object_core(struct cprng_fortuna *object)
{
	struct cprng_fortuna_secret *const s = object->secret;
	struct cprng_os_signals signals;

	if (CPRNG_UNLIKELY(__atomic_load_n(&s->started, __ATOMIC_ACQUIRE) == 0)) {
		cprng_os_block_signals(&signals);
		cprng_lock_take(&s->starting);
		/* If refused, the pages may be swapped, as those of the process's Fortuna.  A child does not inherit the lock. */
		(void)cprng_lock_memory(s, object->mapped - object->page);
		cprng_fortuna_core_start(&object->core);
		__atomic_store_n(&s->started, ++object->starts, __ATOMIC_RELEASE);
		cprng_lock_release(&s->starting);
		cprng_os_restore_signals(&signals);
	}
	return &object->core;
}

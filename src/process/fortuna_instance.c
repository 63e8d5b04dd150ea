/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/fortuna_instance.h"

#include "core/wipe.h"
#include "process/clock.h"
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

static const struct cprng_fortuna_port own_port = { own_lock, own_try_lock, own_unlock, own_now };

int cprng_fortuna_instance_map(struct cprng_fortuna **object, const struct cprng_fortuna_core *options,
			       const struct cprng_fortuna_hooks *hooks)
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
	f->page = page;
	f->mapped = mapped;
	f->secret = (struct cprng_fortuna_secret *)(pages + page);
	f->core = *options;
	f->core.state = &f->secret->state;
	f->port = own_port;
	f->core.arg = f;
	if (hooks != NULL) {
		f->port = (struct cprng_fortuna_port){ hooks->lock, hooks->try_lock, hooks->unlock, hooks->now };
		f->core.arg = hooks->arg;
	}
	f->core.port = &f->port;
	f->core.cell_claim = f->cell_claim;
	*object = f;
	return CPRNG_OK;
}

void cprng_fortuna_instance_unmap(struct cprng_fortuna *object)
{
	cprng_wipe(object->secret, sizeof(*object->secret));
	cprng_os_unmap(object, object->mapped);
}

const struct cprng_fortuna_core *cprng_fortuna_instance_core(struct cprng_fortuna *object)
{
	struct cprng_fortuna_secret *const s = object->secret;
	struct cprng_os_signals signals;

	if (CPRNG_UNLIKELY(__atomic_load_n(&s->started, __ATOMIC_ACQUIRE) == 0)) {
		cprng_os_block_signals(&signals);
		cprng_lock_take(&s->starting);
		/* Where it is refused, the pages may be swapped; as those of the process's own.  No child inherits it. */
		(void)cprng_os_lock_memory(s, object->mapped - object->page);
		cprng_fortuna_core_start(&object->core);
		__atomic_store_n(&s->started, 1, __ATOMIC_RELEASE);
		cprng_lock_release(&s->starting);
		cprng_os_restore_signals(&signals);
	}
	return &object->core;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/fortuna_instance.h"

#include "core/wipe.h"
#include "process/clock.h"
#include "os/os.h"

static void block_signals(struct cprng_lock_token *token)
{
	struct cprng_os_signals saved;

	cprng_os_block_signals(&saved);
	memcpy(token->word, saved.word, sizeof(token->word));
}

static void restore_signals(const struct cprng_lock_token *token)
{
	struct cprng_os_signals saved;

	memcpy(saved.word, token->word, sizeof(saved.word));
	cprng_os_restore_signals(&saved);
}

static void own_lock(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	block_signals(token);
	cprng_lock_take(&((struct cprng_fortuna *)arg)->secret->lock[which]);
}

static bool own_try_lock(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	block_signals(token);
	if (cprng_lock_try(&((struct cprng_fortuna *)arg)->secret->lock[which]))
		return true;
	restore_signals(token);
	return false;
}

static void own_unlock(void *arg, enum cprng_fortuna_lock which, const struct cprng_lock_token *token)
{
	cprng_lock_release(&((struct cprng_fortuna *)arg)->secret->lock[which]);
	restore_signals(token);
}

static uint64_t own_now(void *arg)
{
	return cprng_clock_or_count(&((struct cprng_fortuna *)arg)->looks);
}

static const struct cprng_fortuna_port own_port = { own_lock, own_try_lock, own_unlock, own_now };

/* The owner's hooks know the token by its public name. */
static void hooked_lock(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	const struct cprng_fortuna_hooks *h = &((struct cprng_fortuna *)arg)->hooks;
	struct cprng_fortuna_token t = { { 0, 0 } };

	h->lock(h->arg, (int)which, &t);
	memcpy(token->word, t.word, sizeof(token->word));
}

static bool hooked_try_lock(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	const struct cprng_fortuna_hooks *h = &((struct cprng_fortuna *)arg)->hooks;
	struct cprng_fortuna_token t = { { 0, 0 } };

	if (h->try_lock(h->arg, (int)which, &t) == 0)
		return false;
	memcpy(token->word, t.word, sizeof(token->word));
	return true;
}

static void hooked_unlock(void *arg, enum cprng_fortuna_lock which, const struct cprng_lock_token *token)
{
	const struct cprng_fortuna_hooks *h = &((struct cprng_fortuna *)arg)->hooks;
	struct cprng_fortuna_token t;

	memcpy(t.word, token->word, sizeof(t.word));
	h->unlock(h->arg, (int)which, &t);
}

static uint64_t hooked_now(void *arg)
{
	const struct cprng_fortuna_hooks *h = &((struct cprng_fortuna *)arg)->hooks;

	return h->now(h->arg);
}

static const struct cprng_fortuna_port hooked_port = { hooked_lock, hooked_try_lock, hooked_unlock, hooked_now };

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
	f->core.port = hooks != NULL ? &hooked_port : &own_port;
	f->core.arg = f;
	f->core.cell_claim = f->cell_claim;
	if (hooks != NULL)
		f->hooks = *hooks;
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

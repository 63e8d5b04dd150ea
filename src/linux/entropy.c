/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/entropy.h"

#include "core/wipe.h"
#include "linux/placement.h"
#include "linux/sys.h"

#include <errno.h>

/* Interrupted without end is a broken machine, not a reason to spin for ever: each try waited in the kernel. */
#define TRIES_MAX 100000

static long by_call(uint8_t *buf, size_t len)
{
	size_t done = 0;

	for (int tries = 0; done < len && tries < TRIES_MAX; tries++) {
		long n = cprng_sys_getrandom(buf + done, len - done);

		if (n < 0 && n != -EINTR)
			return n;
		if (n > (long)(len - done))
			return -EIO;
		if (n > 0)
			done += (size_t)n;
	}
	return done == len ? 0 : -EIO;
}

/*
 * A vDSO state is for one user at a time.  A state that is never given back (a signal handler jumped out of the call; in a
 * child, another thread of the parent had it) is lost, and its CPU asks by system call.
 */
static bool by_vdso(struct cprng_process *p, uint8_t *buf, size_t len)
{
	uint32_t i = p->placement->index(p) % p->vdso_states;
	uint8_t *state;
	const uint64_t generation = __atomic_load_n(&p->wiped->generation, __ATOMIC_ACQUIRE);
	long n;

	if (generation == 0 || !cprng_claim_try(&p->vdso_claim[i], cprng_claim_owner()))
		return false;
	state = p->vdso_memory + (size_t)(i / p->vdso_states_per_page) * p->page +
		(size_t)(i % p->vdso_states_per_page) * p->vdso_state_size;
	n = p->vgetrandom(buf, len, 0, state, p->vdso_state_size);
	if (cprng_generation_passed(p, generation)) {
		/*
		 * A signal handler may have forked in the middle of the call, and this be the child, whose state was wiped
		 * meanwhile: what the call gave may be zeros, or the parent's.
		 */
		cprng_wipe(state, p->vdso_state_size);
		n = -1;
	}
	cprng_claim_release(&p->vdso_claim[i]);
	return n == (long)len;
}

void cprng_entropy_set_up(struct cprng_process *p)
{
	struct cprng_vgetrandom_params params = { 0 };
	cprng_vgetrandom f = cprng_vdso_getrandom();
	uint32_t pages;
	long memory;

	/* Without wiped pages no generation tells that a state was wiped in the middle of a call. */
	if (f == NULL || p->wiped == NULL || !cprng_vdso_getrandom_params(f, &params))
		return;
	p->vdso_states = p->states;
	if (p->vdso_states > CPRNG_VDSO_STATES_MAX)
		p->vdso_states = CPRNG_VDSO_STATES_MAX;
	p->vdso_state_size = params.state_size;
	p->vdso_states_per_page = p->page / params.state_size;
	pages = (p->vdso_states + p->vdso_states_per_page - 1) / p->vdso_states_per_page;
	p->vdso_mapped = (size_t)pages * p->page;
	memory = cprng_sys_mmap(p->vdso_mapped, (int)params.mmap_prot, (int)params.mmap_flags);
	if (memory < 0 && memory > -4096)
		return;
	p->vdso_memory = (uint8_t *)memory;
	p->vgetrandom = f;
}

long cprng_entropy_try_call(void *buf, size_t len)
{
	return by_call(buf, len);
}

void cprng_entropy_by_call(void *buf, size_t len)
{
	long r = by_call(buf, len);

	if (r != 0)
		cprng_die("no random numbers from the kernel: getrandom", r);
}

void cprng_entropy(struct cprng_process *p, void *buf, size_t len)
{
	if (p->vgetrandom == NULL || !by_vdso(p, buf, len))
		cprng_entropy_by_call(buf, len);
}

const char *cprng_entropy_name(const struct cprng_process *p)
{
	return p->vgetrandom != NULL ? "vdso-getrandom" : "getrandom";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of the kernel's generator, from getrandom(2) and from getrandom in the vDSO. */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "core/wipe.h"
#include "os/linux/sys.h"
#include "os/linux/vdso.h"
#include "os/os.h"

const char cprng_os_entropy_name[] = "getrandom", cprng_os_vdso_name[] = "vdso-getrandom";
const char cprng_os_no_entropy[] = "no random numbers from the kernel: getrandom";

/* A bound for a call that is interrupted again and again: each try has waited in the kernel, so the machine is broken. */
#define TRIES_MAX 100000

CPRNG_HOT long cprng_os_entropy(void *buf, size_t len)
{
	uint8_t *const bytes = buf;
	size_t done = 0;

	for (int tries = 0; done < len && tries < TRIES_MAX; tries++) {
		long n = cprng_sys_getrandom(bytes + done, len - done);

		if (n < 0 && n != -EINTR)
			return n;
		if (n > (long)(len - done))
			return -EIO;
		if (n > 0)
			done += (size_t)n;
	}
	return done == len ? 0 : -EIO;
}

void cprng_os_vdso_open(struct cprng_os_vdso *e, uint32_t states)
{
	const size_t page = cprng_os_page_size();
	struct cprng_vgetrandom_params params = { 0 };
	cprng_vgetrandom f = cprng_vdso_getrandom();
	long memory;

	*e = (struct cprng_os_vdso){ 0 };
	if (f == NULL || !cprng_vdso_getrandom_params(f, &params))
		return;
	e->page = page;
	e->state_size = params.state_size;
	/* A state must not straddle pages. */
	e->states_per_page = (uint32_t)(page / params.state_size);
	e->mapped = (states + e->states_per_page - 1) / e->states_per_page * page;
	memory = cprng_sys_mmap(e->mapped, (int)params.mmap_prot, (int)params.mmap_flags);
	if (cprng_sys_is_error(memory))
		return;
	e->memory = (uint8_t *)memory;
	e->generate = f;
	e->states = states;
}

void cprng_os_vdso_close(struct cprng_os_vdso *e)
{
	if (e->states != 0)
		cprng_os_unmap(e->memory, e->mapped);
	*e = (struct cprng_os_vdso){ 0 };
}

static uint8_t *state_at(const struct cprng_os_vdso *e, uint32_t state)
{
	return e->memory + state / e->states_per_page * e->page + state % e->states_per_page * (size_t)e->state_size;
}

bool cprng_os_vdso_read(const struct cprng_os_vdso *e, uint32_t state, void *buf, size_t len)
{
	return e->generate(buf, len, 0, state_at(e, state), e->state_size) == (long)len;
}

void cprng_os_vdso_wipe(const struct cprng_os_vdso *e, uint32_t state)
{
	cprng_wipe(state_at(e, state), e->state_size);
}

#endif

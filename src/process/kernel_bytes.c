/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/kernel_bytes.h"

#include "core/wipe.h"
#include "cpu/registers.h"

/*
 * A state of the vDSO's generator is for one user at a time.  A state that is never released (a signal handler jumped out of
 * the call; in a child, another thread of the parent had claimed it) is lost, and its CPU uses system calls from then on.
 */
static bool read_vdso(struct cprng_process *p, uint8_t *buf, size_t len)
{
	const struct cprng_os_vdso *const e = &p->vdso;
	const uint32_t i = p->placement->index(p) % e->states;
	const uint64_t generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
	bool done;

	if (!cprng_is_generation(generation) || !cprng_claim_try(&p->entropy_claim[i], cprng_claim_owner()))
		return false;
	done = cprng_os_vdso_read(e, i, buf, len);
	if (cprng_generation_changed(p, generation)) {
		/*
		 * Event:    a signal handler forks in the middle of the call, and this is the child.
		 * Reason:   the fork wiped the state: the bytes may be zeros, or the parent's.
		 * Pairing:  the fork also wiped the generation; the state is wiped again, and the bytes are not used.
		 */
		cprng_os_vdso_wipe(e, i);
		done = false;
	}
	cprng_claim_release(&p->entropy_claim[i]);
	return done;
}

void cprng_kernel_bytes_set_up(struct cprng_process *p)
{
	const uint32_t wanted = p->buffer_count;

	/* Without wiped pages no generation shows that a state was wiped in the middle of a call. */
	if (cprng_has_buffers(p))
		cprng_os_vdso_open(&p->vdso, wanted < CPRNG_ENTROPY_STATES_MAX ? wanted : CPRNG_ENTROPY_STATES_MAX);
}

CPRNG_HOT void cprng_kernel_bytes_by_call(void *buf, size_t len)
{
	const long r = cprng_os_entropy(buf, len);

	if (r != 0)
		cprng_os_die(cprng_os_no_entropy, r);
}

void cprng_kernel_bytes_by_vdso(struct cprng_process *p, void *buf, size_t len)
{
	if (p->vdso.states == 0 || !read_vdso(p, buf, len))
		cprng_kernel_bytes_by_call(buf, len);
}

const char *cprng_kernel_bytes_name(const struct cprng_process *p)
{
	return p->vdso.states != 0 ? cprng_os_vdso_name : cprng_os_entropy_name;
}

/* Copied at a time, on the caller's stack. */
enum { PIECE = 512 };

CPRNG_HOT void cprng_kernel_bytes_to_caller(uint8_t *dst, size_t len)
{
	uint8_t bytes[PIECE];

	for (size_t n; len > 0; dst += n, len -= n) {
		n = len < sizeof(bytes) ? len : sizeof(bytes);
		cprng_kernel_bytes_by_call(bytes, n);
		memcpy(dst, bytes, n);
	}
	cprng_wipe(bytes, sizeof(bytes));
	cprng_clear_registers();
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/vm_clone.h"

#include "core/sha256.h"
#include "core/wipe.h"
#include "cpu/random_instructions.h"
#include "process/generation.h"

/*
 * Return a number that no other clone has: the time of the detection in nanoseconds, and the CPU's random instructions.  It
 * need not be secret, because it is mixed with a secret key.  Never 0.
 */
static uint64_t own_number(uint64_t generation)
{
	uint64_t words[5] = { generation, cprng_cpu_cycles(), cprng_os_nanoseconds(), 0, 0 }, number;
	uint8_t digest[CPRNG_SHA256_SIZE];
	struct cprng_sha256 hash;

	if (!cprng_cpu_rdseed(&words[3]))
		words[3] = 0;
	if (!cprng_cpu_rdrand(&words[4]))
		words[4] = 0;
	cprng_sha256_init(&hash);
	cprng_sha256_update(&hash, words, sizeof(words));
	cprng_sha256_final(&hash, digest);
	memcpy(&number, digest, sizeof(number));
	return number | (uint64_t)(number == 0);
}

uint64_t cprng_copy_number(void)
{
	uint64_t word;

	if (!cprng_cpu_rdrand(&word))
		word = 0;
	return word + cprng_cpu_cycles();
}

static void take_number(struct cprng_fork_state *w, uint64_t generation)
{
	__atomic_store_n(&w->vm_number, own_number(generation), __ATOMIC_RELEASE);
}

static void see(struct cprng_fork_state *w, uint64_t before, uint64_t now)
{
	(void)__atomic_compare_exchange_n(&w->vm_generation, &before, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* The process takes a number: it may have begun, or been forked, in a clone that the kernel has not detected yet. */
CPRNG_COLD void cprng_vm_clone_begin(struct cprng_process *p)
{
	const uint64_t now = cprng_os_vm_generation(p->announcements);

	take_number(p->fork_state, now);
	see(p->fork_state, 0, now);
}

/*
 * The generation is stored as seen after everything is invalidated, so threads that check meanwhile invalidate once more.
 *
 * Event:    a handler of a synchronous signal draws in the middle of that, in the same thread.
 * Reason:   it detects the clone as well, and its own thread holds the lock.
 * Pairing:  the detection returns false, and the handler's draw takes the kernel's bytes.
 */
CPRNG_COLD bool cprng_vm_clone_detected(struct cprng_process *p)
{
	struct cprng_fork_state *const w = p->fork_state;
	const uint64_t now = cprng_os_vm_generation(p->announcements),
		       seen = __atomic_load_n(&w->vm_generation, __ATOMIC_ACQUIRE);

	if (seen == now)
		return true;
	/* At the first check of a process nothing is buffered or seeded. */
	if (seen == 0) {
		cprng_vm_clone_begin(p);
		return true;
	}
	if (cprng_lock_is_mine(&w->lock))
		return false;
	take_number(w, now);
	if (cprng_os_vm_shows_reseeds)
		cprng_generation_renew(p);
	else
		cprng_generation_invalidate(p);
	see(w, seen, now);
	return true;
}

void cprng_vm_clone_diverge(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	const uint64_t number = __atomic_load_n(&p->fork_state->vm_number, __ATOMIC_ACQUIRE);
	struct cprng_sha256 hash;

	if (CPRNG_LIKELY(number == 0))
		return;
	cprng_sha256_init(&hash);
	cprng_sha256_update(&hash, key, CPRNG_KEY_SIZE);
	cprng_sha256_update(&hash, &number, sizeof(number));
	cprng_sha256_final(&hash, key);
}

_Static_assert((int)CPRNG_KEY_SIZE == (int)CPRNG_SHA256_SIZE, "a hash is a key");

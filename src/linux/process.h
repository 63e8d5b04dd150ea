/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process has set up: memory, choices, and the generation by which a fork is seen. */
#ifndef CPRNG_LINUX_PROCESS_H
#define CPRNG_LINUX_PROCESS_H

#include <cprng/cprng.h>

#include "core/buffer.h"
#include "core/claim.h"
#include "engine/engine.h"
#include "fortuna/fortuna.h"
#include "linux/lock.h"
#include "linux/sys.h"
#include "linux/vdso.h"

struct cprng_placement;
struct cprng_strong;

/* More CPUs than any kernel is configured for; a bound for what a sandbox that invents numbers may say. */
#define CPRNG_STATES_MAX 8192u
/* Slots: two for each CPU keep two running threads apart more often than not; beyond this it makes no difference. */
#define CPRNG_SLOTS_PER_CPU 2u
#define CPRNG_SLOTS_MAX 512u
/* vDSO states, each of which is for one user at a time: more are shared by CPUs of the same remainder. */
#define CPRNG_VDSO_STATES_MAX 256u

/* Among the threads of a process, but for such as are 4 GiB apart: taking those for one does no harm. */
CPRNG_INLINE uint32_t cprng_claim_owner(void)
{
	return (uint32_t)cprng_this_thread() | 1;
}

/* A line for each slot, so that neighbours do not wait for each other's. */
struct cprng_slot_claim {
	struct cprng_claim claim;
} __attribute__((aligned(64)));

/* One page, wiped by the kernel in a forked child. */
struct cprng_wiped {
	/*
	 * Never twice the same in any process that descends from this one: 0 right after a fork, then random, then
	 * stepped by every invalidation.  What was made under another generation is not used.
	 */
	uint64_t generation;
	struct cprng_lock lock;      /* of set-up of a generation, and invalidation */
	uint32_t memory_lock_failed; /* of some buffer */
	/*
	 * A word for each child that shares this memory and has said so; the kernel zeroes it when the child is gone.  As
	 * many as fit a few cache lines, for refills go through them meanwhile.
	 */
	uint32_t child[64];
	uint32_t child_unseen;  /* there was one whose end nobody will tell */
	uint64_t vm_generation; /* of the virtual machine (machine.h), at the last look; 0: not seen yet */
	uint64_t vm_number;     /* of this process in this clone alone; 0: no page */
	/* A bit for each buffer that is locked, or was refused it.  A child does not inherit locks, so it does not these bits. */
	uint32_t buffer_locked[CPRNG_STATES_MAX / 32];
};

/* Set up once, hardly changed after it was published (but for claims), never freed; kept by a fork. */
struct cprng_process {
	struct cprng_draw draw;     /* what inlined draws see (per-CPU placement only) */
	struct cprng_draw *inlined; /* &draw, or NULL: draws are never inlined */
	const struct cprng_placement *placement;
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_wiped *wiped;    /* NULL when pages cannot be wiped: then nothing is buffered */
	struct cprng_buffer *buffers; /* wiped, too; `states` of them */
	uint32_t states;
	uint32_t vdso_states;
	cprng_vgetrandom vgetrandom; /* or NULL */
	uint8_t *vdso_memory;
	uint32_t vdso_state_size;
	uint32_t vdso_states_per_page;
	size_t vdso_mapped;
	size_t kept;                 /* bytes of the mapping before `wiped` */
	size_t page;                 /* the kernel's; a buffer is 4 KiB whatever that is */
	struct cprng_strong *strong; /* wiped, too; NULL when nothing may be buffered */
	struct cprng_fortuna_core fortuna;
	const void *vmclock;  /* the mapped page, or NULL; NULL also when nothing may be buffered */
	uint32_t strong_used; /* by the program: until then the pools are left alone */
	uint32_t frozen;      /* draw.cpus stays 0, for a child that shares this memory; changed under wiped->lock */
	bool wide_copies;     /* copies between buffer and caller may use AVX2 */
	size_t mapped;        /* bytes, for the loser of a race to give back */
	struct cprng_slot_claim *slot_claim; /* CPRNG_SLOTS_MAX of them, kept by a fork */
	/* Kept by a fork, too. */
	struct cprng_claim vdso_claim[CPRNG_VDSO_STATES_MAX] __attribute__((aligned(64)));
	struct cprng_claim cell_claim[CPRNG_HARVEST_CELLS]; /* of Fortuna's harvest queue */
};

/* The process's set-up, made by the first caller.  Aborts when memory or every backend fails. */
struct cprng_process *cprng_process(void);

/*
 * Let inlined draws see the set-up, if they do not yet.  Between the set-up's own publication and that of its draws a handler
 * may jump away, or another thread fork; so each slow way of a draw looks.
 */
CPRNG_INLINE void cprng_process_publish_draw(struct cprng_process *p)
{
	if (CPRNG_UNLIKELY(__atomic_load_n(&cprng_draw_1, __ATOMIC_RELAXED) != p->inlined))
		__atomic_store_n(&cprng_draw_1, p->inlined, __ATOMIC_RELEASE);
}

/*
 * AES where the CPU does it in hardware (a software AES is slower than ChaCha everywhere), or else ChaCha20; false when
 * no backend of it gives its known answers.
 */
bool cprng_default_engine(const struct cprng_engine **engine, const struct cprng_backend **backend) CPRNG_MUST_CHECK;

/*
 * The generation, or 0: nothing may be buffered, and a fork is not seen.  That is so without wiped pages; and while
 * another thread, or the thread that a handler interrupted, is setting it up.  Never waits.
 */
uint64_t cprng_generation(struct cprng_process *p);

/* The same, waiting for a thread that is setting it up.  p->wiped is not NULL; the result is not 0. */
uint64_t cprng_generation_wait(struct cprng_process *p);

/* Keep buffer number `index` out of swap, from its first use on. */
void cprng_process_lock_buffer(struct cprng_process *p, uint32_t index);

CPRNG_INLINE void cprng_process_use_buffer(struct cprng_process *p, uint32_t index)
{
	if (CPRNG_UNLIKELY(
		    index < p->states &&
		    (__atomic_load_n(&p->wiped->buffer_locked[index / 32], __ATOMIC_RELAXED) >> index % 32 & 1) == 0))
		cprng_process_lock_buffer(p, index);
}

/* Has there been a fork or an invalidation since `generation`, which is not 0, was read? */
CPRNG_INLINE bool cprng_generation_passed(const struct cprng_process *p, uint64_t generation)
{
	return __atomic_load_n(&p->wiped->generation, __ATOMIC_RELAXED) != generation;
}

/*
 * The caller is a child that shares its parent's memory (vfork): close the CPUs' buffers, because the kernel does not watch
 * the restartable sequences of such a child.  All draws of this memory are made from the kernel's bytes until the child is
 * gone.
 */
void cprng_process_freeze(struct cprng_process *p);

/* On the slow way of a frozen process: open the buffers if all such children are gone. */
void cprng_process_thaw(struct cprng_process *p);

CPRNG_INLINE bool cprng_process_is_frozen(const struct cprng_process *p)
{
	return __atomic_load_n(&p->frozen, __ATOMIC_RELAXED) != 0;
}

/* The CPUs whose buffers are open, with wiped->lock held. */
CPRNG_INLINE uint32_t cprng_process_open_cpus(const struct cprng_process *p)
{
	return p->frozen != 0 ? 0 : p->states;
}

/*
 * Have the kernel wipe the pages on a fork, as since the set-up: a process that was restored from a checkpoint may have
 * lost that (CRIU 3.17 brings back MADV_DONTDUMP, and not MADV_WIPEONFORK).
 */
void cprng_process_advise(const struct cprng_process *p);

/* Start a new generation and erase all buffers (cprng_invalidate). */
void cprng_process_invalidate(struct cprng_process *p);

#endif

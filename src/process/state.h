/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a process, set up once, and the generation by which the process detects a fork.
 *
 *      one mapping                                             in a forked child
 *
 *      cprng_process     choices made at set-up; claims        as it was
 *      ------------------------------------------------------------------------
 *      cprng_fork_state  generation, lock, children of vfork   zero
 *      process_fortuna   Fortuna: queue, pools, generator      zero
 *      cprng_buffer [n]  left | key, tag | out[4032]           zero
 *
 *      call (api/)                                     invalidate, fork, clone
 *        |                                                      |
 *        v            buffer too short                          v
 *      placement->pop ----------------> draw.c: refill      generation changes
 *        |                               |  take_key            |
 *        |                               |  kernel_bytes, strong (reseeds)
 *        |                               |  expand (engine/)    |
 *        |                               |  put_key, push  <----+ refused
 *        v                               v                      |
 *      caller  <-------------------------+  <-------------------+ drawn again
 *
 * The four operations on a buffer are a placement's (placement.h): restartable sequences on the buffer of a CPU, claims of
 * slots, or none.  Everything in this folder is policy above them: draw.c and kernel_bytes.c (the fast generator),
 * generation.c and vm_clone.c, vfork.c (events), process_fortuna.c and sources.c (Fortuna), inlined.c (what programs inline).
 *
 * Every file of this folder includes state.h; state.h includes only lock.h and placement.h of this folder.
 */
#ifndef CPRNG_PROCESS_STATE_H
#define CPRNG_PROCESS_STATE_H

#include <cprng/cprng.h>

#include "core/buffer.h"
#include "core/claim.h"
#include "engine/engine.h"
#include "fortuna/fortuna.h"
#include "os/os.h"
#include "process/lock.h"
#include "process/placement.h"

struct cprng_fortuna;
struct cprng_process_fortuna;

/* More CPUs than any kernel is configured for; a bound for sandboxes that invent numbers. */
#define CPRNG_BUFFERS_MAX 8192u
/* Slots: two for each CPU keep two running threads apart more often than not; beyond this it makes no difference. */
#define CPRNG_SLOTS_PER_CPU 2u
#define CPRNG_SLOTS_MAX 512u
/* States of the vDSO's generator, each for one thread at a time.  More CPUs than this share states, by number modulo this. */
#define CPRNG_ENTROPY_STATES_MAX 256u

/* Unique per thread, except for threads whose numbers are 4 GiB apart; a collision is harmless. */
CPRNG_INLINE uint32_t cprng_claim_owner(void)
{
	return (uint32_t)cprng_os_this_thread() | 1;
}

/* One cache line for each slot, so that claims of neighbours do not delay each other. */
struct cprng_slot_claim {
	struct cprng_claim claim;
} __attribute__((aligned(64)));

/* One page, which the operating system zeroes in a forked child. */
struct cprng_fork_state {
	/*
	 * Unique among all processes that descend from this one: 0 right after a fork, an even number (the token of a thread)
	 * while a thread begins it, then random and odd, then stepped by 2 by every invalidation.  Output that was made under
	 * another generation is discarded.
	 */
	cprng_atomic64 generation;
	struct cprng_lock lock;      /* of repairs after a fork, invalidation, and the list of objects */
	uint32_t memory_lock_failed; /* of some buffer */
	/*
	 * Exit words (os.h), one for each child that shares this memory and has registered.  They fit a few cache lines,
	 * because refills read all of them while there is such a child.
	 */
	uint32_t child[64];
	uint32_t child_unseen;        /* there was a child whose end the system does not report */
	cprng_atomic64 vm_generation; /* of the virtual machine (vm_clone.h), at the last check; 0: none yet */
	cprng_atomic64 vm_number;     /* unique to this process in this clone; 0: no page */
	/* A bit for each buffer whose lock was granted or refused.  A child inherits neither locks nor these bits. */
	uint32_t buffer_locked[CPRNG_BUFFERS_MAX / 32];
};

/* The registers of copies between buffer and caller, on x86-64. */
enum cprng_copies {
	CPRNG_COPIES_BASELINE,
	CPRNG_COPIES_AVX2,
	/* Only where the cipher is also run on them: older CPUs lower their frequency for registers of 512 bits. */
	CPRNG_COPIES_AVX512,
};

/* Set up once, never freed, and kept by a fork; after the publication hardly anything but claims changes. */
struct cprng_process {
	struct cprng_draw draw; /* only for the per-CPU placement; inlined draws see a copy (inlined.h) */
	const struct cprng_placement *placement;
	const struct cprng_placement *placement_of_claims; /* for a child that must not use sequences */
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_fork_state *fork_state; /* NULL: cprng_has_buffers() is false */
	struct cprng_buffer *buffers;        /* wiped by a fork, too */
	uint32_t buffer_count;
	uint32_t
		buffers_disabled; /* draw.cpus stays 0 for a child that shares this memory; changed under fork_state->lock */
	struct cprng_os_vdso vdso;
	size_t kept;                          /* bytes of the mapping before `fork_state` */
	size_t page;                          /* the system's; a buffer is 4 KiB whatever that is */
	size_t mapped;                        /* bytes, to unmap a set-up that was not published */
	struct cprng_process_fortuna *strong; /* wiped, too; NULL without buffers */
	struct cprng_fortuna_core fortuna;
	const struct cprng_os_announcements
		*announcements; /* cprng_os_find_announcements(); NULL also without buffers */
	uint32_t strong_used;   /* the program has used Fortuna: until then no source is polled */
	uint8_t copies;         /* enum cprng_copies */
	uint8_t random_word;    /* cprng_cpu_has_random_word() */
	uint8_t small_refill;   /* chunks by which a draw of a few bytes refills; divides CPRNG_REFILL_CHUNKS */
	struct cprng_slot_claim *slot_claim; /* CPRNG_SLOTS_MAX of them, kept by a fork */
	/* Kept by a fork, too. */
	struct cprng_claim entropy_claim[CPRNG_ENTROPY_STATES_MAX] __attribute__((aligned(64)));
	struct cprng_harvest_claims fortuna_claims;
	struct cprng_fortuna *objects; /* of the program (fortuna_object.h); changed under fork_state->lock */
};

CPRNG_BEGIN_DECLARATIONS
/*
 * True in drop-ins (dropin/): the program around this copy of the library does not know it, so this copy avoids calls that the
 * program may forbid:
 * - No buffers of CPUs.  In a child of vfork(2) or of clone(2) with CLONE_VM the kernel disables restartable sequences, and the
 *   child would have to call cprng_vfork_child() before its first draw.  Slots are safe in any shared memory
 *   (docs/decisions/0009-vfork.md).
 * - No mlock2(2) when a thread first uses a buffer, and after a fork: a sandbox that allows getrandom(2) may kill for it.
 * - No madvise(2) at a reseed, which the program may cause in such a sandbox (RAND_add(3)).  The cost: in a process restored from
 *   a checkpoint a fork no longer wipes the pages (docs/openssl.md).
 */
extern const bool cprng_in_foreign_program;
CPRNG_END_DECLARATIONS

/* Keep pages out of swap, if system and program permit it. */
CPRNG_INLINE bool cprng_lock_memory(void *p, size_t len)
{
	return !cprng_in_foreign_program && cprng_os_lock_memory(p, len);
}

/*
 * Return true if a fork wipes pages of this process.  If not, nothing is buffered: there are no buffers, no pools of the process's
 * Fortuna and no generation, and every draw is made from fresh bytes of the system.
 */
CPRNG_INLINE bool cprng_has_buffers(const struct cprng_process *p)
{
	return p->fork_state != NULL;
}

/* Set in a generation; clear in 0 and in the token of a thread that is beginning one. */
#define CPRNG_IS_GENERATION 1u

/*
 * Instead of a generation, for an operation that must not buffer anything: the process has no buffers, or another thread is
 * beginning its generation.
 */
#define CPRNG_NO_GENERATION UINT64_C(0)

CPRNG_INLINE bool cprng_is_generation(uint64_t word)
{
	return (word & CPRNG_IS_GENERATION) != 0;
}

/* Return whether there was a fork or an invalidation since `generation`, not CPRNG_NO_GENERATION, was read. */
CPRNG_INLINE bool cprng_generation_changed(const struct cprng_process *p, uint64_t generation)
{
	return __atomic_load_n(&p->fork_state->generation, __ATOMIC_RELAXED) != generation;
}

CPRNG_INLINE bool cprng_buffers_disabled(const struct cprng_process *p)
{
	return __atomic_load_n(&p->buffers_disabled, __ATOMIC_RELAXED) != 0;
}

#endif

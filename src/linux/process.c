/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/process.h"

#include "cpu/cpu.h"
#include "linux/entropy.h"
#include "linux/machine.h"
#include "linux/pages.h"
#include "linux/placement.h"
#include "linux/strong.h"
#include "linux/sys.h"

/*
 * The mapping: a page with struct cprng_process and the claims of slots, which a fork keeps; a page with struct cprng_wiped;
 * struct cprng_strong; the buffers.  The kernel's page may be larger than 4096 bytes, and advice is by its page.
 */
enum { SMALLEST_PAGE = 4096 };

static size_t whole_pages(size_t bytes, size_t page)
{
	return (bytes + page - 1) / page * page;
}

/*
 * Where struct cprng_process lies in its page.  Not at its start: every draw stores to the start of a buffer's page and
 * loads from here, and a load whose address has the same low 12 bits as a store under way waits for it (1.4 against
 * 1.2 ns a draw).
 */
enum { PROCESS_OFFSET = 1024 };

_Static_assert(PROCESS_OFFSET + sizeof(struct cprng_process) <= SMALLEST_PAGE, "one page");
_Static_assert(CPRNG_STATES_MAX % 32 == 0, "whole words of bits");
_Static_assert(sizeof(struct cprng_wiped) <= SMALLEST_PAGE, "one page");

/* When the kernel does not tell how many CPUs there may be. */
#define STATES_UNKNOWN 64u

static struct cprng_process *the_process;

/*
 * An upper bound of the CPU numbers that can occur.  The kernel gives the size of its CPU masks, which covers all
 * possible CPUs, holes and hot-plugged ones included, without a look into /sys or /proc.
 */
static uint32_t possible_cpus(void)
{
	long size = cprng_sys_cpu_mask_size();

	if (size <= 0)
		return STATES_UNKNOWN;
	return size > (long)CPRNG_STATES_MAX / 8 ? CPRNG_STATES_MAX : (uint32_t)size * 8;
}

bool cprng_default_engine(const struct cprng_engine **engine, const struct cprng_backend **backend)
{
	static const char *const candidates[] = { "aes256-ctr", "chacha20" };
	bool aes = (cprng_cpu_features() & (CPRNG_CPU_AESNI | CPRNG_CPU_ARM_AES)) != 0;

	for (size_t i = aes ? 0 : 1; i < CPRNG_ARRAY_SIZE(candidates); i++) {
		*engine = cprng_engine_find(candidates[i]);
		*backend = cprng_engine_select(*engine);
		if (*backend != NULL && (i > 0 || (*backend)->needs != 0))
			return true;
	}
	return false;
}

static struct cprng_process *set_up(void)
{
	ptrdiff_t rseq_offset = 0;
	bool percpu = cprng_percpu_available(&rseq_offset);
	uint32_t states = possible_cpus();
	const size_t page = cprng_sys_page_size();
	const size_t kept = page + whole_pages(CPRNG_SLOTS_MAX * sizeof(struct cprng_slot_claim), page);
	const size_t head = kept + page + whole_pages(sizeof(struct cprng_strong), page);
	size_t mapped;
	uint8_t *pages;
	struct cprng_process *p;

	if (!percpu) {
		states *= CPRNG_SLOTS_PER_CPU;
		states = states > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : states;
	}
	mapped = head + whole_pages(states * sizeof(struct cprng_buffer), page);
	pages = cprng_pages_map(mapped);
	if (pages == NULL) {
		/* A tight RLIMIT_AS: one page is enough to go on without buffers. */
		mapped = page;
		pages = cprng_pages_map(mapped);
		if (pages == NULL)
			cprng_die("no memory", 0);
	}
	p = (struct cprng_process *)(pages + PROCESS_OFFSET);
	p->mapped = mapped;
	p->page = page;
	p->placement = &cprng_placement_unbuffered;
	p->wide_copies = (cprng_cpu_features() & CPRNG_CPU_AVX2) != 0;
	if (!cprng_default_engine(&p->engine, &p->backend))
		cprng_die("no cipher gives its known answers on this machine", 0);

	if (mapped > page && cprng_pages_make_secret(pages + kept, mapped - kept)) {
		p->kept = kept;
		p->slot_claim = (struct cprng_slot_claim *)(pages + page);
		p->wiped = (struct cprng_wiped *)(pages + kept);
		cprng_pages_keep_small(p->wiped, mapped - kept);
		cprng_strong_set_up(p, (struct cprng_strong *)(pages + kept + page));
		p->buffers = (struct cprng_buffer *)(pages + head);
		p->states = states;
		p->placement = percpu ? &cprng_placement_percpu : &cprng_placement_slots;
		p->draw.states = (unsigned char *)p->buffers;
		p->draw.rseq_offset = rseq_offset;
		p->inlined = percpu ? &p->draw : NULL;
		p->vmclock = cprng_machine_page();
		/* draw.cpus stays 0 until there is a generation. */
	}
	cprng_entropy_set_up(p);
	return p;
}

CPRNG_COLD static struct cprng_process *publish(void)
{
	struct cprng_process *expected = NULL, *p = set_up();

	/* No lock, which a signal handler in the middle of set_up() could not wait for: whoever is first wins. */
	if (!__atomic_compare_exchange_n(&the_process, &expected, p, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (p->vgetrandom != NULL)
			cprng_pages_unmap(p->vdso_memory, p->vdso_mapped);
		cprng_pages_unmap((uint8_t *)p - PROCESS_OFFSET, p->mapped);
		p = expected;
	}
	cprng_process_publish_draw(p);
	return p;
}

struct cprng_process *cprng_process(void)
{
	struct cprng_process *p = __atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	return CPRNG_LIKELY(p != NULL) ? p : publish();
}

/*
 * In a child that was forked while the process was frozen: by another thread, or by the very child that shared the memory,
 * whose sequences the kernel will never watch.  No telling which, so this process has slots, which need no kernel.  The
 * fork may have come before draw.cpus was 0 (cprng_process_freeze).
 */
static void leave_cpus(struct cprng_process *p)
{
	__atomic_store_n(&p->draw.cpus, 0, __ATOMIC_SEQ_CST);
	p->states = p->states > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : p->states;
	p->placement = &cprng_placement_slots;
	p->frozen = 0;
}

static void release_others(struct cprng_claim *claim, uint32_t mine, bool *alone)
{
	const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);

	if (owner == 0 || owner == mine)
		return;
	/* Only the thread that forked goes on in a child, as its first one. */
	if (!*alone && !(*alone = cprng_sys_tid() == cprng_sys_pid()))
		return;
	(void)cprng_claim_replace(claim, owner, 0);
}

/*
 * With the lock held, before there is a generation, without which nothing is claimed: give back what other threads of the
 * parent had claimed when it forked.  Claims of the calling thread may be of operations that it will return to.
 */
static void release_lost_claims(struct cprng_process *p)
{
	const uint32_t mine = cprng_claim_owner();
	bool alone = false;

	for (uint32_t i = 0; i < p->vdso_states; i++)
		release_others(&p->vdso_claim[i], mine, &alone);
	for (uint32_t i = 0; p->placement == &cprng_placement_slots && i < p->states; i++)
		release_others(&p->slot_claim[i].claim, mine, &alone);
}

/*
 * With the lock held: the first of this process, after the set-up and in a forked child, where draw.cpus may have been left
 * at 0.  0 if a handler of a synchronous signal forked in the middle, and this is the child.
 */
static uint64_t first_generation(struct cprng_process *p)
{
	uint64_t generation = p->wiped->generation;

	if (generation != 0)
		return generation;
	cprng_entropy_by_call(&generation, sizeof(generation));
	generation |= (uint64_t)(generation == 0);
	/* The parent has that number too. */
	if (!cprng_lock_is_mine(&p->wiped->lock))
		return 0;
	/* It was frozen under a generation. */
	if (p->frozen != 0)
		leave_cpus(p);
	release_lost_claims(p);
	__atomic_store_n(&p->wiped->generation, generation, __ATOMIC_RELEASE);
	if (p->placement == &cprng_placement_percpu)
		__atomic_store_n(&p->draw.cpus, p->states, __ATOMIC_RELEASE);
	return generation;
}

CPRNG_COLD static uint64_t begin_generation(struct cprng_process *p, bool wait)
{
	uint64_t saved[2], generation = 0;

	cprng_sys_block_signals(saved);
	do {
		if (wait)
			cprng_lock_take(&p->wiped->lock);
		else if (!cprng_lock_try(&p->wiped->lock))
			break;
		generation = first_generation(p);
		cprng_lock_release(&p->wiped->lock);
	} while (generation == 0);
	cprng_sys_restore_signals(saved);
	return generation;
}

uint64_t cprng_generation(struct cprng_process *p)
{
	uint64_t generation;

	if (p->wiped == NULL)
		return 0;
	generation = __atomic_load_n(&p->wiped->generation, __ATOMIC_ACQUIRE);
	return CPRNG_LIKELY(generation != 0) ? generation : begin_generation(p, false);
}

uint64_t cprng_generation_wait(struct cprng_process *p)
{
	const uint64_t generation = __atomic_load_n(&p->wiped->generation, __ATOMIC_ACQUIRE);

	return CPRNG_LIKELY(generation != 0) ? generation : begin_generation(p, true);
}

/* Locks do not survive a fork, so each process asks, for what it uses. */
CPRNG_COLD void cprng_process_lock_buffer(struct cprng_process *p, uint32_t index)
{
	struct cprng_wiped *const w = p->wiped;

	__atomic_fetch_or(&w->buffer_locked[index / 32], UINT32_C(1) << index % 32, __ATOMIC_RELAXED);
	if (!cprng_pages_lock(&p->buffers[index], sizeof(p->buffers[index])))
		__atomic_store_n(&w->memory_lock_failed, 1, __ATOMIC_RELAXED);
}

/*
 * With the lock held: a word that the kernel zeroes when the caller is gone.  A word that the caller has already for
 * somebody else (a thread of the C library, which called this by mistake; CLONE_CHILD_CLEARTID) must not be taken from him.
 */
static void sign_in(struct cprng_wiped *w)
{
	uint32_t *word = NULL;

	if (cprng_sys_tid_address(&word) == 0) {
		if (word >= w->child && word < w->child + CPRNG_ARRAY_SIZE(w->child))
			return; /* called before */
		for (size_t i = 0; word == NULL && i < CPRNG_ARRAY_SIZE(w->child); i++) {
			if (__atomic_load_n(&w->child[i], __ATOMIC_RELAXED) != 0)
				continue;
			/* In this order, or who is killed in between would be taken for alive. */
			if (cprng_sys_set_tid_address(&w->child[i]) < 0)
				break;
			__atomic_store_n(&w->child[i], 1, __ATOMIC_RELAXED);
			return;
		}
	}
	w->child_unseen = 1;
}

static bool has_children(const struct cprng_wiped *w)
{
	uint32_t any = w->child_unseen;

	for (size_t i = 0; i < CPRNG_ARRAY_SIZE(w->child); i++)
		any |= __atomic_load_n(&w->child[i], __ATOMIC_RELAXED);
	return any != 0;
}

/*
 * Nothing has to be waited for: sequences that are under way are those of threads that the kernel watches, and keep apart
 * from each other; the caller begins none from here on.
 */
void cprng_process_freeze(struct cprng_process *p)
{
	uint64_t saved[2];

	if (p->wiped == NULL)
		return;
	(void)cprng_generation_wait(p);
	/* Slots need no kernel: they are sound in any memory that is shared. */
	if (p->placement != &cprng_placement_percpu)
		return;
	cprng_sys_block_signals(saved);
	cprng_lock_take(&p->wiped->lock);
	sign_in(p->wiped);
	__atomic_store_n(&p->frozen, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&p->draw.cpus, 0, __ATOMIC_SEQ_CST);
	cprng_lock_release(&p->wiped->lock);
	cprng_sys_restore_signals(saved);
}

CPRNG_COLD void cprng_process_thaw(struct cprng_process *p)
{
	uint64_t saved[2];

	if (has_children(p->wiped))
		return;
	cprng_sys_block_signals(saved);
	if (cprng_lock_try(&p->wiped->lock)) {
		/* No generation: a fork in between, and the words are wiped (leave_cpus). */
		if (p->wiped->generation != 0 && p->frozen != 0 && !has_children(p->wiped)) {
			__atomic_store_n(&p->frozen, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&p->draw.cpus, p->states, __ATOMIC_SEQ_CST);
		}
		cprng_lock_release(&p->wiped->lock);
	}
	cprng_sys_restore_signals(saved);
}

void cprng_process_advise(const struct cprng_process *p)
{
	/* A refusal now means a sandbox, in which it still holds. */
	if (p->wiped != NULL && !cprng_pages_make_secret(p->wiped, p->mapped - p->kept))
		return;
}

void cprng_process_invalidate(struct cprng_process *p)
{
	uint64_t saved[2], generation;

	if (p->wiped == NULL)
		return;
	cprng_sys_block_signals(saved);
	cprng_lock_take(&p->wiped->lock);
	/* A step of a random 64-bit number: no other process of the family is likely to have it (2^-64 a pair). */
	generation = p->wiped->generation + 1;
	if (p->wiped->generation != 0) {
		__atomic_store_n(&p->wiped->generation, generation + (generation == 0), __ATOMIC_SEQ_CST);
		p->placement->erase(p);
	}
	cprng_lock_release(&p->wiped->lock);
	cprng_sys_restore_signals(saved);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/process.h"

#include "cpu/cpu.h"
#include "cpu/random_instructions.h"
#include "process/draw.h"
#include "process/inlined.h"
#include "process/kernel_bytes.h"
#include "process/process_fortuna.h"

/*
 * The mapping.  Its first part survives a fork: a page with struct cprng_process, and the claims of slots.  The fork wipes
 * the second part: a page with struct cprng_fork_state, struct cprng_process_fortuna, and the buffers.  The system's page may be
 * larger than 4096 bytes, and it wipes whole pages.
 */
enum { SMALLEST_PAGE = 4096 };

static size_t whole_pages(size_t bytes, size_t page)
{
	return (bytes + page - 1) / page * page;
}

/* struct cprng_process lies at the end of its page, which leaves the start to the buffers (4K aliasing, process.h). */
enum { PROCESS_OFFSET = SMALLEST_PAGE - sizeof(struct cprng_process) };

_Static_assert(sizeof(struct cprng_process) < SMALLEST_PAGE, "one page");
_Static_assert(PROCESS_OFFSET % _Alignof(struct cprng_process) == 0, "a page of any system is aligned to it");

/* The bytes of a buffer that draws of 32 bits store to, if they refill by one chunk: the head, and a chunk less the key's line. */
#define DRAWN_FROM CPRNG_REFILL_CHUNK

_Static_assert(CPRNG_BUFFERS_MAX % 32 == 0, "whole words of bits");
_Static_assert(sizeof(struct cprng_fork_state) <= SMALLEST_PAGE, "one page");

/* For systems that do not report how many CPUs there may be. */
#define CPUS_UNKNOWN 64u

struct cprng_process *cprng_the_process;

/* The threads between their mapping and its publication. */
static uint32_t setting_up;

/*
 * A thread without memory waits for the other threads' set-up: at most 1000 sleeps of 1 ms; a set-up takes some 0.1 ms.  The wait
 * is bounded because a counted thread may be suspended (this is its signal handler), or gone (a fork, a cancellation or a jump
 * during its set-up).  The loop counts sleeps, so it ends without a clock; it is shorter if signals interrupt the sleeps or a
 * sandbox refuses them.
 */
enum { SET_UP_WAITS_MAX = 1000, SET_UP_WAIT_NANOSECONDS = 1000000 };

static uint32_t possible_cpus(void)
{
	const uint32_t limit = cprng_os_cpu_limit();

	if (limit == 0)
		return CPUS_UNKNOWN;
	return limit > CPRNG_BUFFERS_MAX ? CPRNG_BUFFERS_MAX : limit;
}

/* How many of the lines that are loaded alias one of the `stored` bytes from this offset on. */
static size_t aliases_at(size_t offset, const void *const *loaded, size_t n, size_t stored)
{
	size_t aliases = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t line = (uintptr_t)loaded[i] / CPRNG_ALIAS_LINE * CPRNG_ALIAS_LINE;

		aliases += (line - offset) % CPRNG_ALIAS_PAGE < stored;
	}
	return aliases;
}

size_t cprng_offset_without_aliases(const void *const *loaded, size_t n, size_t stored)
{
	size_t best = 0, fewest = n + 1;

	for (size_t offset = 0; offset < CPRNG_ALIAS_PAGE && fewest > 0; offset += CPRNG_ALIAS_LINE) {
		const size_t aliases = aliases_at(offset, loaded, n, stored);

		if (aliases < fewest) {
			best = offset;
			fewest = aliases;
		}
	}
	return best;
}

/* Where buffers begin in their pages.  The rseq area is the calling thread's; other threads may have theirs elsewhere. */
static size_t offset_of_buffers(ptrdiff_t rseq_offset)
{
	const void *const loaded[] = {
		&cprng_draw_1,
		cprng_os_sequence_area(rseq_offset),
		/* Two lines, of draws that are not inlined. */
		(const void *)(uintptr_t)PROCESS_OFFSET,
		(const void *)(uintptr_t)(PROCESS_OFFSET + CPRNG_ALIAS_LINE),
	};

	return cprng_offset_without_aliases(loaded, sizeof(loaded) / sizeof(loaded[0]), DRAWN_FROM);
}

/*
 * With AES on 512-bit vectors (VAES), copies use 512 bits too, and each refill fills the whole buffer in a third of a microsecond.
 * Other ciphers take up to several microseconds for a whole buffer; and on a Zen 3, whose vectors have 256 bits, draws from a
 * whole page would alias with the lines that each draw loads.
 */
static void choose_widths(struct cprng_process *p)
{
	const uint32_t aes512 = CPRNG_CPU_AVX512 | CPRNG_CPU_VAES;

	p->random_word = cprng_cpu_has_random_word();
	p->copies = CPRNG_COPIES_BASELINE;
	p->small_refill = 1;
	if ((p->backend->needs & aes512) == aes512) {
		p->copies = CPRNG_COPIES_AVX512;
		p->small_refill = CPRNG_REFILL_CHUNKS;
	} else if (cprng_cpu_features() & CPRNG_CPU_AVX2) {
		p->copies = CPRNG_COPIES_AVX2;
	}
}

/*
 * Call each function of the C library that a draw calls while it has secrets.  Where symbols are bound lazily, the first call of a
 * function makes the dynamic linker save all registers on the stack.
 */
CPRNG_OPAQUE CPRNG_HOT static void bind_calls(void)
{
	uint8_t bytes[64] = { 0 };
	void *to = bytes, *from = bytes + sizeof(bytes) / 2;
	size_t none = 0;

/* Hides the arguments from the compiler, so that it emits calls, in hot code too, which it optimises for speed. */
#define HIDE() __asm__ volatile("" : "+r"(to), "+r"(from), "+r"(none) : : "memory")
	HIDE();
	memcpy(to, from, none);
	HIDE();
	memmove(to, from, none);
	HIDE();
	memset(to, 0, none);
	HIDE();
	/* With _FORTIFY_SOURCE and a known size, the compiler calls other functions. */
	memcpy(bytes, from, none);
	memmove(bytes, from, none);
	memset(bytes, 0, none);
	HIDE();
	none = (size_t)memcmp(to, from, none);
	HIDE();
#undef HIDE
	(void)cprng_os_seconds();
	(void)cprng_os_process_id(); /* on Linux by syscall(), as are the kernel's bytes without a vDSO */
}

static struct cprng_process *published(void)
{
	return __atomic_load_n(&cprng_the_process, __ATOMIC_ACQUIRE);
}

/* Return a mapping, and count this thread in setting_up until its publication; NULL after a wait for the others. */
static uint8_t *map_counted(size_t len)
{
	uint8_t *pages;

	/* Counted first: a thread that lacks the memory that this one maps sees the count, or what is published. */
	(void)__atomic_fetch_add(&setting_up, 1, __ATOMIC_ACQ_REL);
	pages = cprng_os_map(len);
	if (pages != NULL)
		return pages;
	(void)__atomic_fetch_sub(&setting_up, 1, __ATOMIC_ACQ_REL);
	for (int i = 0;
	     i < SET_UP_WAITS_MAX && published() == NULL && __atomic_load_n(&setting_up, __ATOMIC_ACQUIRE) != 0; i++)
		(void)cprng_os_sleep(SET_UP_WAIT_NANOSECONDS);
	return NULL;
}

/* What the mapping has room for, and where. */
struct layout {
	bool percpu; /* the system has restartable sequences, and this build of the library has their placement */
	ptrdiff_t rseq_offset;
	size_t page, kept, head, buffers_at, mapped;
	uint32_t buffers;
};

static void lay_out(struct layout *l)
{
	const size_t page = cprng_os_page_size();

	l->rseq_offset = 0;
	l->percpu = cprng_placement_percpu.pop != NULL && !cprng_in_foreign_program &&
		    cprng_os_restartable_sequences(&l->rseq_offset);
	l->buffers = possible_cpus();
	if (!l->percpu) {
		l->buffers *= CPRNG_SLOTS_PER_CPU;
		l->buffers = l->buffers > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : l->buffers;
	}
	l->page = page;
	l->kept = page + whole_pages(CPRNG_SLOTS_MAX * sizeof(struct cprng_slot_claim), page);
	l->head = l->kept + page + whole_pages(sizeof(struct cprng_process_fortuna), page);
	l->buffers_at = l->head + (l->percpu ? offset_of_buffers(l->rseq_offset) : 0);
	l->mapped = l->head + whole_pages(l->buffers_at - l->head + l->buffers * sizeof(struct cprng_buffer), page);
}

/* Map the layout, or one page, which is enough for a process without buffers.  NULL if another thread has published its own. */
static uint8_t *map_layout(struct layout *l)
{
	uint8_t *pages = map_counted(l->mapped);

	if (pages == NULL && published() == NULL) {
		/* A tight RLIMIT_AS. */
		l->mapped = l->page;
		pages = map_counted(l->mapped);
	}
	if (pages == NULL && published() == NULL)
		cprng_os_die("no memory", 0);
	return pages;
}

/* Set up buffers and the process's Fortuna in pages that a fork wipes. */
static void set_up_buffers(struct cprng_process *p, const struct layout *l, uint8_t *pages)
{
	p->kept = l->kept;
	p->slot_claim = (struct cprng_slot_claim *)(pages + l->page);
	p->fork_state = (struct cprng_fork_state *)(pages + l->kept);
	cprng_os_use_small_pages(p->fork_state, l->mapped - l->kept);
	cprng_strong_set_up(p, (struct cprng_process_fortuna *)(pages + l->kept + l->page));
	p->buffers = (struct cprng_buffer *)(pages + l->buffers_at);
	p->buffer_count = l->buffers;
	p->placement_of_claims = &cprng_placement_slots;
	p->placement = l->percpu ? &cprng_placement_percpu : &cprng_placement_slots;
	p->draw.buffers = (unsigned char *)p->buffers;
	p->draw.rseq_offset = l->rseq_offset;
	p->announcements = cprng_os_find_announcements();
	/* The state that a forked child also begins with: empty buffers, and no generation before the first draw. */
	p->draw.cpus = l->percpu ? l->buffers : 0;
}

/* Return NULL if there is no memory, and another thread has published its own set-up. */
static struct cprng_process *set_up(void)
{
	struct layout l;
	uint8_t *pages;
	struct cprng_process *p;

	lay_out(&l);
	pages = map_layout(&l);
	if (pages == NULL)
		return NULL;
	bind_calls();
	p = (struct cprng_process *)(pages + PROCESS_OFFSET);
	p->mapped = l.mapped;
	p->page = l.page;
	p->placement = &cprng_placement_unbuffered;
	if (!cprng_engine_default(&p->engine, &p->backend))
		cprng_os_die("no cipher gives its known answers on this machine", 0);
	choose_widths(p);
	if (l.mapped > l.page && cprng_os_wipe_on_fork(pages + l.kept, l.mapped - l.kept))
		set_up_buffers(p, &l, pages);
	cprng_kernel_bytes_set_up(p);
	return p;
}

CPRNG_COLD struct cprng_process *cprng_process_set_up(void)
{
	struct cprng_process *none = NULL, *p = set_up();

	/*
	 * Without a lock, for which a signal handler in the middle of set_up() could not wait: the first caller to publish its
	 * set-up wins, and the others unmap theirs.
	 */
	if (p != NULL) {
		const bool first = __atomic_compare_exchange_n(&cprng_the_process, &none, p, false, __ATOMIC_ACQ_REL,
							       __ATOMIC_ACQUIRE);

		(void)__atomic_fetch_sub(&setting_up, 1, __ATOMIC_ACQ_REL);
		if (!first) {
			cprng_os_vdso_close(&p->vdso);
			cprng_os_unmap((uint8_t *)p - PROCESS_OFFSET, p->mapped);
		}
	}
	p = published();
	if (p->placement->restartable)
		(void)cprng_inlined_publish(p);
	return p;
}

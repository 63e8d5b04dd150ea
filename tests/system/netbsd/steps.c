/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steps LEVEL DEPTH: an interrupt of this level arrives before each instruction of a draw, and also draws.  No value may come
 * twice.
 *
 * A rump kernel has no interrupts, and its splraise() and spllower() do nothing.  The functions here replace them (--wrap) and
 * maintain the level of the thread.  A breakpoint acts as the interrupt: its handler runs at once if the level is below LEVEL,
 * otherwise when the level falls.  The instructions are recorded in advance with x86's trap flag.
 *
 * With a DEPTH above 1 the interrupt's draw is interrupted at the same instruction, and so on, DEPTH times in all: a LEVEL above
 * IPL_HIGH lets them nest.
 */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "netbsd.h"

enum {
	TRAP_FLAG = 0x100,
	BREAKPOINT = 0xcc,
	PLACES_MAX = 1 << 14,
	WORDS_MAX = 1 << 22,
	/* Enough draws to take both paths: one draw of 4 bytes in 248 refills. */
	DRAWS = 600,
	/* No block of ChaCha8 has fewer instructions. */
	OF_A_BLOCK = 300,
};

/* Functions of this program that run while the kernel is recorded. */
#define OF_TEST __attribute__((section("of_test"), noinline))
extern uint8_t __start_of_test[], __stop_of_test[], __executable_start[], etext[];

static int level_of_interrupt, depth_most;
static volatile int level, is_pending, is_recording, depth;
static volatile unsigned long steps, at_once, deferred;

static uint8_t *places[PLACES_MAX];
static size_t place_count;
static uint8_t *volatile place;
static uint8_t replaced;

static uint64_t words[WORDS_MAX];
static size_t word_count;

static void keep(const void *bytes, size_t len)
{
	demand(word_count + len / 8 <= WORDS_MAX, "room for what was drawn");
	memcpy(&words[word_count], bytes, len / 8 * 8);
	word_count += len / 8;
}

/* The interrupt's first numbers, which the interrupted draw of 32 bits must not return. */
static uint32_t of_interrupt[2];
static volatile int has_come;
static unsigned long repeats32;

static void interrupt(void)
{
	const int before = level;
	uint64_t x[9];

	level = level_of_interrupt < IPL_HIGH ? level_of_interrupt : IPL_HIGH;
	of_interrupt[0] = rumpns_cprng_fast32();
	of_interrupt[1] = rumpns_cprng_fast32();
	x[0] = rumpns_cprng_fast64();
	(void)rumpns_cprng_fast(&x[1], 24);
	/* More than a state of a nested draw ever has. */
	(void)rumpns_cprng_fast(&x[4], 40);
	keep(x, sizeof(x));
	has_come = 1;
	level = before;
}

OF_TEST int __wrap_rumpns_splraise(int to)
{
	const int before = level;

	if (to > level)
		level = to;
	return before;
}

OF_TEST void __wrap_rumpns_spllower(int to)
{
	if (to < level)
		level = to;
	if (is_pending && level < level_of_interrupt) {
		is_pending = 0;
		deferred++;
		interrupt();
	}
}

/* As NetBSD 10 describes them: called at IPL_VM or below; enter raises the level to IPL_VM; they do not nest. */
static volatile int is_in_section, level_outside;
static unsigned long sections;

OF_TEST void __wrap_rumpns_fpu_kern_enter(void)
{
	demand(level <= IPL_VM, "a section begins at IPL_VM or below");
	level_outside = __wrap_rumpns_splraise(IPL_VM);
	demand(!is_in_section, "no section is inside of another");
	is_in_section = 1;
	sections++;
}

OF_TEST void __wrap_rumpns_fpu_kern_leave(void)
{
	demand(is_in_section, "a section ends that began");
	is_in_section = 0;
	__wrap_rumpns_spllower(level_outside);
}

OF_TEST int __wrap_rumpns_fpu_is_allowed(void)
{
	return level <= IPL_VM && !is_in_section;
}

static void record(uint8_t *at)
{
	size_t i;

	if (at < __executable_start || at >= etext || (at >= __start_of_test && at < __stop_of_test))
		return;
	for (i = place_count; i != 0; i--) {
		if (places[i - 1] == at)
			return;
	}
	demand(place_count < PLACES_MAX, "room for places");
	places[place_count++] = at;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *const c = context;
	greg_t *const ip = &c->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (is_recording) {
		steps++;
		record((uint8_t *)*ip);
		return;
	}
	c->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	if (place == NULL || (uint8_t *)*ip != place + 1)
		return;
	*ip -= 1;
	*place = replaced;
	if (level >= level_of_interrupt) {
		place = NULL;
		is_pending = 1;
		return;
	}
	at_once++;
	if (++depth < depth_most)
		*place = BREAKPOINT;
	else
		place = NULL;
	interrupt();
	depth--;
	/* The draw has not reached the place again. */
	if (place != NULL) {
		*place = replaced;
		place = NULL;
	}
}

static union {
	uint32_t number32;
	uint64_t number64;
	uint8_t bytes[256];
} drawn;

OF_TEST static void draw32(void)
{
	drawn.number32 = rumpns_cprng_fast32();
}

OF_TEST static void draw64(void)
{
	drawn.number64 = rumpns_cprng_fast64();
}

OF_TEST static void draw16_bytes(void)
{
	(void)rumpns_cprng_fast(drawn.bytes, 16);
}

OF_TEST static void draw40_bytes(void)
{
	(void)rumpns_cprng_fast(drawn.bytes, 40);
}

OF_TEST static void draw256_bytes(void)
{
	(void)rumpns_cprng_fast(drawn.bytes, 256);
}

static const struct {
	void (*draw)(void);
	size_t size;
} draws[] = { { draw32, 4 }, { draw64, 8 }, { draw16_bytes, 16 }, { draw40_bytes, 40 }, { draw256_bytes, 256 } };

/* With TF set the instruction behind popf is the first that traps. */
OF_TEST static void recorded(void (*draw)(void))
{
	is_recording = 1;
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "memory", "cc");
	draw();
	is_recording = 0;
	__asm__ volatile("nop" : : : "memory");
}

/* Both paths of a draw: one that finds bytes, and one that refills. */
static void record_all(void (*draw)(void))
{
	unsigned long least = ~0ul, most = 0;
	size_t i;

	place_count = 0;
	for (i = 0; i < DRAWS && (most < least || most - least < OF_A_BLOCK); i++) {
		steps = 0;
		recorded(draw);
		least = steps < least ? steps : least;
		most = steps > most ? steps : most;
	}
	demand(most - least >= OF_A_BLOCK, "a draw that refills, and one that does not");
}

static void try_place(size_t i, uint8_t *at)
{
	size_t n;

	has_come = 0;
	replaced = *at;
	place = at;
	*at = BREAKPOINT;
	for (n = 0; n < DRAWS && !has_come; n++) {
		draws[i].draw();
		if (draws[i].size == 4)
			repeats32 += has_come &&
				     (drawn.number32 == of_interrupt[0] || drawn.number32 == of_interrupt[1]);
		else
			keep(&drawn, draws[i].size);
	}
	if (place != NULL) {
		*at = replaced;
		place = NULL;
	}
	demand(!is_pending && level == IPL_NONE, "the level is as before");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };
	const uintptr_t page = (uintptr_t)__executable_start & ~(uintptr_t)4095;
	unsigned long repeats = 0, all = 0;
	size_t i, n;

	demand(argc == 3, "two arguments");
	level_of_interrupt = atoi(argv[1]);
	depth_most = atoi(argv[2]);
	demand(setenv("RUMP_NCPU", "1", 1) == 0, "setenv");
	start_kernel();
	demand(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction");
	demand(mprotect((void *)page, (uintptr_t)etext - page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0, "mprotect");
	rump_schedule();
	for (i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
		record_all(draws[i].draw);
		all += place_count;
		for (n = 0; n < place_count; n++)
			try_place(i, places[n]);
	}
	rump_unschedule();
	qsort(words, word_count, sizeof(words[0]), compare_words);
	for (n = 1; n < word_count; n++)
		repeats += words[n - 1] == words[n];
	/* Numbers of 32 bits are equal by chance once in a million of these runs, and never twice in one run. */
	repeats += repeats32 > 1 ? repeats32 : 0;
	printf("places %lu interrupts %lu deferred %lu sections %lu words %zu repeats %lu\n", all, at_once, deferred,
	       sections, word_count, repeats);
	finish(repeats != 0);
}

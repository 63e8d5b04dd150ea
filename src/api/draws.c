/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of <cprng/draw.h> for callers that do not inline them, and the slow path of inlined draws; distributions, and
 * arrays of drawn numbers.
 */
#include "core/port.h"

#define CPRNG_INLINE_DRAW CPRNG_CLEARS
#define CPRNG_DEFINES_FAST
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/registers.h"
#include "numbers/arrays.h"
#include "numbers/numbers.h"
#include "process/draw.h"
#include "process/generation.h"
#include "process/inlined.h"
#include "process/lengths.h"
#include "process/process.h"

/* Inlined into programs. */
_Static_assert(offsetof(struct cprng_draw, buffers) == 0, "the pages");
_Static_assert(offsetof(struct cprng_draw, rseq_offset) == sizeof(void *), "the area");
_Static_assert(offsetof(struct cprng_draw, cpus) == 2 * sizeof(void *), "the CPUs");
_Static_assert(sizeof(struct cprng_draw) == 64 && _Alignof(struct cprng_draw) == 64, "a line of its own");

/*
 * The draw where threads join by themselves, so that none is inlined into programs: the sequence of an inlined draw, if the
 * calling thread has joined before it begins (cprng_os_join_sequences).
 */
CPRNG_INLINE bool draw_from_own_area(struct cprng_process *p, unsigned int bytes, uint64_t *value)
{
	unsigned char empty = 1;
#if CPRNG_HAVE_RESTARTABLE_DRAW
	if (p->draw.rseq_offset != CPRNG_OS_OWN_AREAS || !cprng_os_has_joined())
		return false;
	uint32_t half;

	if (bytes == sizeof(uint64_t)) {
		CPRNG_DRAW_64(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, *value, empty);
		return !empty;
	}
	if (bytes == sizeof(uint32_t))
		CPRNG_DRAW_32(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, half, empty);
	else if (bytes == sizeof(uint16_t))
		CPRNG_DRAW_16(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, half, empty);
	else
		CPRNG_DRAW_8(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, half, empty);
	*value = half;
#else
	(void)p;
	(void)bytes;
	(void)value;
#endif
	return !empty;
}

CPRNG_CLEARS CPRNG_HOT uint64_t cprng_draw_slow_1(unsigned int bytes)
{
	struct cprng_process *p = cprng_process();
	uint64_t value = 0, result;
	/* The low-order end of value, where the caller's narrower type takes it from. */
	uint8_t *low = (uint8_t *)&value + (cprng_le32(1) == 1 ? 0 : sizeof(value) - bytes);

	if (draw_from_own_area(p, bytes, &result))
		return result;
	if (CPRNG_HAVE_RESTARTABLE_DRAW && p->placement->restartable)
		(void)cprng_inlined_publish(p);
	/* From the buffer, if possible: after an aborted inlined draw it is as full as before. */
	cprng_draw_bytes(p, low, bytes);
	result = value;
	cprng_wipe(&value, sizeof(value));
	return result;
}

CPRNG_CLEARS CPRNG_HOT void cprng_fast(void *buf, size_t len)
{
	cprng_draw_bytes(cprng_process(), buf, len);
}

CPRNG_CLEARS CPRNG_HOT void cprng_request_slow_1(void *buf, size_t len)
{
	cprng_draw_bytes(cprng_process(), buf, len);
}

/*
 * The frames of draws_make() and its callees: up to 2.8 KiB for a pass of normals (gcc 11 to 14 and clang 14 to 19, -O1 to -O3, for
 * any x86-64), up to 1.1 KiB for other numbers.  The wipe must not go deeper, because handlers fill arrays on alternate
 * stacks.  Draws wipe their own frames, and arrays of integers have no other frames.  A test compares the compilers' figures.
 */
CPRNG_DEFINE_WIPE_STACK(wipe_stack_of_normals, uint64_t, 544)
CPRNG_DEFINE_WIPE_STACK(draws_wipe_stack, uint64_t, 208)

CPRNG_CLEARS static void draws_take(void *process, uint8_t *out, size_t len)
{
	cprng_draw_bytes(process, out, len);
}

CPRNG_CLEARS CPRNG_NOINLINE static void draws_make(struct cprng_process *p, const struct cprng_array *array,
						   uint8_t *out, size_t count)
{
	cprng_array_fill(array, draws_take, p, out, count);
}

enum { PASSES_BY_GENERATION = 2 };

/* Frames and registers have held the numbers, and the bytes from which they were made. */
CPRNG_INLINE void wipe(enum cprng_array_kind kind)
{
	if (kind == CPRNG_ARRAY_NORMAL)
		wipe_stack_of_normals();
	else if (kind > CPRNG_ARRAY_U64)
		draws_wipe_stack();
	cprng_clear_registers();
}

/*
 * Event:    a signal handler forks between two draws of one array, or the process is invalidated.
 * Reason:   the numbers that were drawn before would be in the arrays of both processes, or older than the invalidation.
 * Pairing:  either changes the generation, and all numbers of the piece are drawn again; a piece is as long as the longest request
 *           from one key.  The third pass watches only for a fork, as a long draw does (process/draw.c): invalidations would
 *           keep it from its end, and each of its draws is newer than two of them.
 */
CPRNG_CLEARS static int draws_fill_array(const struct cprng_array *array, void *out, size_t count)
{
	const enum cprng_array_kind kind = array->kind;
	const size_t size = cprng_array_size(kind), most = ONE_KEY_MAX / size;
	struct cprng_process *p;
	struct cprng_moment moment;
	uint8_t *at = out;

	if ((out == NULL && count != 0) || count > SIZE_MAX / size || !cprng_has_end(out, count * size) ||
	    !cprng_array_valid(array))
		return CPRNG_ERR_ARGUMENT;
	if (!cprng_array_possible(kind))
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	p = cprng_process();
	for (size_t n; count != 0; at += n * size, count -= n) {
		n = count < most ? count : most;
		for (int passes = 0;; passes++) {
			moment = passes < PASSES_BY_GENERATION ?
					 cprng_moment_now(p) :
					 (struct cprng_moment){ CPRNG_NO_GENERATION, cprng_os_process_id() };
			draws_make(p, array, at, n);
			wipe(kind);
			if (!cprng_moment_passed(p, &moment))
				break;
		}
	}
	return CPRNG_OK;
}

CPRNG_CLEARS static int draws_fill(enum cprng_array_kind kind, double location, double scale, void *out, size_t count)
{
	const struct cprng_array array = { kind, location, scale, 0, 0, NULL };

	return draws_fill_array(&array, out, count);
}

CPRNG_CLEARS int cprng_fill_u32(uint32_t *out, size_t count)
{
	return draws_fill(CPRNG_ARRAY_U32, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_fill_u64(uint64_t *out, size_t count)
{
	return draws_fill(CPRNG_ARRAY_U64, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_fill_uniform32(uint32_t *out, size_t count, uint32_t bound)
{
	const struct cprng_array array = cprng_array_uniform32(bound);

	return draws_fill_array(&array, out, count);
}

CPRNG_CLEARS int cprng_fill_uniform64(uint64_t *out, size_t count, uint64_t bound)
{
	const struct cprng_array array = cprng_array_uniform64(bound);

	return draws_fill_array(&array, out, count);
}

CPRNG_CLEARS int cprng_fill_range64(uint64_t *out, size_t count, uint64_t lo, uint64_t hi)
{
	const struct cprng_array array = cprng_array_range64(lo, hi);

	return draws_fill_array(&array, out, count);
}

CPRNG_CLEARS int cprng_fill_int_range(int64_t *out, size_t count, int64_t lo, int64_t hi)
{
	const struct cprng_array array = cprng_array_int_range(lo, hi);

	return draws_fill_array(&array, out, count);
}

/*
 * Identifiers and passwords.  The wipes of an array take longer than so many characters, which are made without vector registers
 * and in a small frame; on x86-64 16 of the words that are wiped are the red zone.
 */
enum { SHORT_TEXT_MAX = 64 };
CPRNG_DEFINE_WIPE_STACK(text_wipe_stack, uint64_t, 24)

/* As draws_fill_array().  Return false if the generation has changed. */
CPRNG_CLEARS CPRNG_NOINLINE static bool draw_short_text(uint8_t *out, size_t length, const uint8_t *alphabet,
							uint32_t symbols)
{
	struct cprng_process *p = cprng_process();
	const struct cprng_moment moment = cprng_moment_now(p);
	const uint8_t *const end = out + length;

	while (out != end) {
		cprng_draw_bytes(p, out, (size_t)(end - out));
		out += cprng_array_choose_text(out, out, (size_t)(end - out), alphabet, symbols);
	}
	text_wipe_stack();
	return !cprng_moment_passed(p, &moment);
}

CPRNG_CLEARS int cprng_text(char *out, size_t length, const char *alphabet, size_t symbols)
{
	struct cprng_array array;

	if (!cprng_array_text_valid(out, length, alphabet, symbols))
		return CPRNG_ERR_ARGUMENT;
	out[length] = '\0';
	if (length <= SHORT_TEXT_MAX &&
	    draw_short_text((uint8_t *)out, length, (const uint8_t *)alphabet, (uint32_t)symbols))
		return CPRNG_OK;
	array = cprng_array_text(alphabet, symbols);
	return draws_fill_array(&array, out, length);
}

CPRNG_CLEARS int cprng_fill_float(float *out, size_t count)
{
	return draws_fill(CPRNG_ARRAY_FLOAT, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_fill_double(double *out, size_t count)
{
	return draws_fill(CPRNG_ARRAY_DOUBLE, 0, 0, out, count);
}

CPRNG_CLEARS int cprng_fill_normal(double *out, size_t count, double mu, double sigma)
{
	return draws_fill(CPRNG_ARRAY_NORMAL, mu, sigma, out, count);
}

CPRNG_CLEARS int cprng_fill_exponential(double *out, size_t count, double mean)
{
	return draws_fill(CPRNG_ARRAY_EXPONENTIAL, 0, mean, out, count);
}

CPRNG_CLEARS CPRNG_NOINLINE static void make_number(double *number, bool normal, double location, double scale)
{
	const uint64_t word = cprng_fast64();

	*number = normal ? cprng_number_normal(word, location, scale) : cprng_number_exponential(word, scale);
}

/* Without a generation, by process numbers.  The number is in memory that is wiped: the compiler would spill it over the calls. */
CPRNG_CLEARS CPRNG_COLD static double number_by_process(bool normal, double location, double scale)
{
	double number, result;
	long pid;

	do {
		pid = cprng_os_process_id();
		make_number(&number, normal, location, scale);
	} while (cprng_os_process_id() != pid);
	result = number;
	cprng_wipe(&number, sizeof(number));
	return result;
}

/*
 * Event:    a signal handler forks, or the process is invalidated, while the number is computed from the word that was drawn.
 * Reason:   parent and child would return the same number, over more instructions than cprng.h allows.
 * Pairing:  either changes the generation, and another word is drawn.
 */
CPRNG_CLEARS double cprng_normal(double mu, double sigma)
{
	struct cprng_process *p;
	uint64_t generation;

	if (!cprng_number_normal_valid(mu, sigma))
		return __builtin_nan("");
	if (!cprng_numbers_pass())
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	p = cprng_process();
	while (CPRNG_LIKELY((generation = cprng_generation(p)) != CPRNG_NO_GENERATION)) {
		const double number = cprng_number_normal(cprng_fast64(), mu, sigma);

		if (CPRNG_LIKELY(!cprng_generation_changed(p, generation)))
			return number;
	}
	return number_by_process(true, mu, sigma);
}

/* As cprng_normal(). */
CPRNG_CLEARS double cprng_exponential(double mean)
{
	struct cprng_process *p;
	uint64_t generation;

	if (!cprng_number_exponential_valid(mean))
		return __builtin_nan("");
	if (!cprng_numbers_pass())
		cprng_os_die(CPRNG_NO_ARITHMETIC, 0);
	p = cprng_process();
	while (CPRNG_LIKELY((generation = cprng_generation(p)) != CPRNG_NO_GENERATION)) {
		const double number = cprng_number_exponential(cprng_fast64(), mean);

		if (CPRNG_LIKELY(!cprng_generation_changed(p, generation)))
			return number;
	}
	return number_by_process(false, 0, mean);
}

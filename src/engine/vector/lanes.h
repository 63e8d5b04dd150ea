/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keystream driver of a cipher whose block is 16 little-endian words and whose input block holds a 64-bit block
 * counter (ChaCha, Salsa20): one block per lane of a vector, 16 vectors to a set, two sets at a time unless a port says
 * one.  Two, because the operations of one set wait for each other most of the time; that pays even where both do not fit
 * the registers.
 *
 * Blocks are generated in runs, which end where the low word of the counter wraps: within a run the lanes differ only in that
 * word.  So three of the four columns of the first round are the same in all blocks of a run, and are computed once, on words.
 *
 * A vector header of this folder, included first, supplies the machine:
 *
 *	CPRNG_V_BEGIN, CPRNG_V_END	bracket functions that use the instruction set
 *	CPRNG_V_LANES			words in a vector
 *	CPRNG_V_ALIGN			the alignment of out that a streaming store needs
 *	CPRNG_V_REGISTER		asm constraint of a vector register
 *	CPRNG_V_SET1(w)			w in every lane
 *	CPRNG_V_INDEX()			0, 1, 2 ... in lanes 0, 1, 2 ...
 *	CPRNG_V_ADD, _XOR, _ROTATE	lane by lane; rotation is to the left, by a constant
 *	CPRNG_V_LOW32(a, b) ...		interleave units of 32 or 64 bits of the low or high halves of each 128-bit part
 *	CPRNG_V_FENCE()			order streaming stores before what follows
 *	cprng_v_put(out, column, count, stream, a, b, c, d)
 *					the p-th 128-bit parts of a, b, c, d are block 4p + column: store it at
 *					out + 64 (4p + column) if that number is below count
 *
 * and the cipher defines:
 *
 *	CPRNG_LANES_KEYSTREAM		the name of the function to be defined
 *	CPRNG_LANES_COUNTER		index of the low word of the block counter; the high word follows
 *	CPRNG_LANES_ROUND_A(x), _B(x)	the two halves of a double round on cprng_v x[16]
 *	CPRNG_LANES_COLUMN(x)		the column of the first half with the low word of the counter
 *	CPRNG_LANES_OTHERS(word)	the other columns of the first half, on uint32_t word[16]
 *
 * A template, without a guard: a backend file includes it once.
 */
#include "core/wipe_stack.h"
#include "engine/engine.h"

/* The sets at a time.  A port header may say 1: code and frames of half the size (kernel/netbsd/port.h). */
#ifndef CPRNG_PORT_SETS
#define CPRNG_PORT_SETS 2
#endif

CPRNG_V_BEGIN

/* The common parts of a run's blocks. */
struct lanes_common {
	const uint32_t *input; /* the input block, except the low word of the counter */
	uint32_t first[16];    /* the same after the other columns of the first round */
	unsigned int double_rounds;
	bool stream;
};

/* The low words of the counters of the lanes. */
#define LANES_COUNTERS(low) CPRNG_V_ADD(CPRNG_V_SET1(low), CPRNG_V_INDEX())

#define LANES_EACH(op) \
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)

#define LANES_LOAD(i) x[i] = CPRNG_V_SET1(common->first[i]);

/* The blocks from counter low on, with the first half of the first round done. */
CPRNG_INLINE void lanes_begin(cprng_v x[16], const struct lanes_common *common, uint32_t low)
{
	LANES_EACH(LANES_LOAD)
	x[CPRNG_LANES_COUNTER] = LANES_COUNTERS(low);
	CPRNG_LANES_COLUMN(x);
}

#define LANES_INPUT(i) ((i) == CPRNG_LANES_COUNTER ? LANES_COUNTERS(low) : CPRNG_V_SET1(word[i]))
#define LANES_ADD(i) x[i] = CPRNG_V_ADD(x[i], LANES_INPUT(i));

CPRNG_INLINE void lanes_add_input(cprng_v x[16], const uint32_t *word, uint32_t low){ LANES_EACH(LANES_ADD) }

/* Transpose 4 by 4 words: vector i has word i of all blocks before, and four words of blocks i, 4 + i ... after. */
CPRNG_INLINE void lanes_transpose(cprng_v x[4])
{
	const cprng_v low01 = CPRNG_V_LOW32(x[0], x[1]), high01 = CPRNG_V_HIGH32(x[0], x[1]);
	const cprng_v low23 = CPRNG_V_LOW32(x[2], x[3]), high23 = CPRNG_V_HIGH32(x[2], x[3]);

	x[0] = CPRNG_V_LOW64(low01, low23);
	x[1] = CPRNG_V_HIGH64(low01, low23);
	x[2] = CPRNG_V_LOW64(high01, high23);
	x[3] = CPRNG_V_HIGH64(high01, high23);
}

CPRNG_INLINE void lanes_store(cprng_v x[16], uint8_t *out, size_t count, bool stream)
{
	lanes_transpose(x);
	lanes_transpose(x + 4);
	lanes_transpose(x + 8);
	lanes_transpose(x + 12);
	cprng_v_put(out, 0, count, stream, x[0], x[4], x[8], x[12]);
	cprng_v_put(out, 1, count, stream, x[1], x[5], x[9], x[13]);
	cprng_v_put(out, 2, count, stream, x[2], x[6], x[10], x[14]);
	cprng_v_put(out, 3, count, stream, x[3], x[7], x[11], x[15]);
}

/* Store the first count blocks of a set.  The arguments are constant for a full set, so that the stores need no tests. */
CPRNG_INLINE void lanes_finish(cprng_v x[16], const struct lanes_common *common, uint32_t low, uint8_t *out,
			       size_t count)
{
	lanes_add_input(x, common->input, low);
	if (CPRNG_LIKELY(count >= CPRNG_V_LANES && !common->stream))
		lanes_store(x, out, CPRNG_V_LANES, false);
	else
		lanes_store(x, out, count, common->stream);
}

/* Force x and y into registers once, after the rounds: without this gcc spills twice as much in the loop. */
#define LANES_PIN(i) __asm__("" : "+" CPRNG_V_REGISTER(x[i]), "+" CPRNG_V_REGISTER(y[i]));

/* Up to one set of blocks. */
static CPRNG_NOINLINE void lanes_one(const struct lanes_common *common, uint32_t low, uint8_t *out, size_t count)
{
	unsigned int left = common->double_rounds;
	cprng_v x[16];

	lanes_begin(x, common, low);
	for (;;) {
		CPRNG_LANES_ROUND_B(x);
		if (--left == 0)
			break;
		CPRNG_LANES_ROUND_A(x);
	}
	lanes_finish(x, common, low, out, count);
}

/* More than one set, up to two.  Alternating single rounds is fine-grained enough for both to fit in the CPU's window. */
static CPRNG_NOINLINE void lanes_two(const struct lanes_common *common, uint32_t low, uint8_t *out, size_t count)
{
	unsigned int left = common->double_rounds;
	cprng_v x[16], y[16];

	lanes_begin(x, common, low);
	lanes_begin(y, common, low + CPRNG_V_LANES);
	for (;;) {
		CPRNG_LANES_ROUND_B(x);
		CPRNG_LANES_ROUND_B(y);
		if (--left == 0)
			break;
		CPRNG_LANES_ROUND_A(x);
		CPRNG_LANES_ROUND_A(y);
	}
	LANES_EACH(LANES_PIN)
	lanes_finish(x, common, low, out, CPRNG_V_LANES);
	lanes_finish(y, common, low + CPRNG_V_LANES, out + 64 * CPRNG_V_LANES, count - CPRNG_V_LANES);
}

/* 480 bytes, in whole vectors: both frames of vectors of 32 bytes are then below 2 KiB. */
#define LANES_MARGIN ((480 + 4 * CPRNG_V_LANES - 1) / (4 * CPRNG_V_LANES))

/* Up to 20 and 55 vectors of stack were seen (gcc 12 and clang 19; -O1 to -O3, -Os, -Og). */
CPRNG_DEFINE_WIPE_STACK(lanes_wipe_stack_one, cprng_v, 16 + LANES_MARGIN)
CPRNG_DEFINE_WIPE_STACK(lanes_wipe_stack_two, cprng_v, 48 + LANES_MARGIN)

/* Generate a run.  A separate function, so that its frame is wiped with the others. */
static CPRNG_NOINLINE void lanes_run(const uint32_t *input, unsigned int rounds, uint8_t *out, size_t nblocks,
				     bool stream)
{
	struct lanes_common common = { .input = input, .double_rounds = rounds / 2, .stream = stream };
	uint32_t low = input[CPRNG_LANES_COUNTER];

	memcpy(common.first, input, sizeof(common.first));
	CPRNG_LANES_OTHERS(common.first);
	while (nblocks > CPRNG_V_LANES) {
		const size_t most = CPRNG_PORT_SETS * CPRNG_V_LANES, count = nblocks < most ? nblocks : most;

		(CPRNG_PORT_SETS == 1 ? lanes_one : lanes_two)(&common, low, out, count);
		low += (uint32_t)count;
		out += 64 * count;
		nblocks -= count;
	}
	if (nblocks != 0)
		lanes_one(&common, low, out, nblocks);
}

void CPRNG_LANES_KEYSTREAM(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			   unsigned int flags)
{
	uint32_t *const word = ks->u.word;
	const bool stream = (flags & CPRNG_STREAMING) != 0 && (uintptr_t)out % CPRNG_V_ALIGN == 0;
	const bool two = CPRNG_PORT_SETS != 1 && nblocks > CPRNG_V_LANES;
	size_t count;

	for (; nblocks != 0; nblocks -= count) {
		const uint64_t room = (UINT64_C(1) << 32) - word[CPRNG_LANES_COUNTER];

		count = nblocks < room ? nblocks : (size_t)room;
		lanes_run(word, rounds, out, count, stream);
		out += 64 * count;
		word[CPRNG_LANES_COUNTER] += (uint32_t)count;
		word[CPRNG_LANES_COUNTER + 1] += count == room;
	}
	if (stream)
		CPRNG_V_FENCE();
	if (two)
		lanes_wipe_stack_two();
	else
		lanes_wipe_stack_one();
}

CPRNG_V_END

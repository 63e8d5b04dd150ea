/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-CTR on vectors without instructions for AES, bitsliced: no address and no branch depends on a secret.
 *
 * For each 128 bits of a vector there are eight blocks, in eight planes; plane b holds bit b of every byte.  A byte of a plane
 * holds that bit of one byte of the state (FIPS 197, column by column), for eight blocks.  So moving bytes within a state, by
 * ShiftRows and the rows of MixColumns, is a byte shuffle of a plane, the same in each 128 bits.  The layout is that of Kasper
 * and Schwabe, "Faster and timing-attack resistant AES-GCM" (2009).
 *
 * The including file defines:
 *
 *	AES_PLANE                  a vector of uint64_t, with the operators of C
 *	AES_PLANE_SHUFFLE(x, p)    byte i of each 128 bits is the byte p[i] of them; p, const uint8_t[16], aligned
 *	AES_PLANE_LOAD16(p)        the 16 bytes at p, aligned, in each 128 bits
 *	AES_PLANE_LOAD(p)          a vector at any alignment
 *	AES_PLANE_STORE(p, x)      likewise
 *
 * and gets sliced_keystream().
 */
#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "engine/aesctr/aesctr_planes.h"

enum {
	SLICED_VECTOR_BLOCKS = sizeof(AES_PLANE) / CPRNG_AES_BLOCK,
	SLICED_BLOCKS = AES_PLANES * SLICED_VECTOR_BLOCKS, /* in flight */
};

/* Round key i as planes: all bits of a byte equal one bit of the key. */
typedef uint8_t sliced_key[AES_PLANES][CPRNG_AES_BLOCK];

#define SLICED_EACH(f) \
	f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
/* The source of byte i: for ShiftRows; for ShiftRows and then one row down; and for two rows down without ShiftRows. */
#define SLICED_SHIFT(i) ((i) + 4 * ((i) % 4)) % 16
#define SLICED_SHIFT_DOWN(i) SLICED_SHIFT((i) / 4 * 4 + ((i) + 1) % 4)
#define SLICED_DOWN_TWO(i) (i) / 4 * 4 + ((i) + 2) % 4
static const uint8_t sliced_shift[] __attribute__((aligned(16))) = { SLICED_EACH(SLICED_SHIFT) };
static const uint8_t sliced_shift_down[] __attribute__((aligned(16))) = { SLICED_EACH(SLICED_SHIFT_DOWN) };
static const uint8_t sliced_down_two[] __attribute__((aligned(16))) = { SLICED_EACH(SLICED_DOWN_TWO) };

/* The S-box's constant, which aes_sub_bytes() leaves out, is part of all round keys except the first. */
static void aes_slice_keys(sliced_key *sliced, const struct cprng_keystate *ks, unsigned int rounds)
{
	uint64_t bytes, bit;
	unsigned int i, half, plane;

	for (i = 0; i <= rounds; i++)
		for (half = 0; half < CPRNG_AES_BLOCK; half += 8) {
			bytes = cprng_load_le64(ks->u.round_key[i] + half) ^
				(i == 0 ? 0 : UINT64_C(0x6363636363636363));
			for (plane = 0; plane < AES_PLANES; plane++) {
				bit = bytes >> plane & UINT64_C(0x0101010101010101);
				cprng_store_le64(sliced[i][plane] + half, (bit << 8) - bit);
			}
		}
}

CPRNG_INLINE void sliced_round(AES_PLANE x[AES_PLANES], const sliced_key key)
{
	AES_PLANE below, sum, carry = { 0 }, top;
	unsigned int i;

	aes_sub_bytes(x);
	top = AES_PLANE_SHUFFLE(x[7], sliced_shift) ^ AES_PLANE_SHUFFLE(x[7], sliced_shift_down);
	for (i = 0; i < AES_PLANES; i++) {
		below = AES_PLANE_SHUFFLE(x[i], sliced_shift_down);
		sum = AES_PLANE_SHUFFLE(x[i], sliced_shift) ^ below;
		x[i] = below ^ AES_PLANE_SHUFFLE(sum, sliced_down_two) ^ carry ^ AES_PLANE_LOAD16(key[i]);
		if (i == 0 || i == 1 || i == 3 || i == 4) /* the bits of the field's polynomial, 0x1b */
			x[i] ^= top;
		carry = sum;
	}
}

CPRNG_INLINE void sliced_last_round(AES_PLANE x[AES_PLANES], const sliced_key key)
{
	unsigned int i;

	aes_sub_bytes(x);
	for (i = 0; i < AES_PLANES; i++)
		x[i] = AES_PLANE_SHUFFLE(x[i], sliced_shift) ^ AES_PLANE_LOAD16(key[i]);
}

/* The next SLICED_BLOCKS counter blocks; the counter advances by n, and blocks past n are discarded. */
CPRNG_INLINE void sliced_counters(AES_PLANE x[AES_PLANES], struct cprng_keystate *ks, size_t n)
{
	uint8_t block[SLICED_BLOCKS][CPRNG_AES_BLOCK] __attribute__((aligned(sizeof(AES_PLANE))));
	struct cprng_uint128 counter = { ks->counter_hi, ks->counter_lo };
	unsigned int i;

	for (i = 0; i < SLICED_BLOCKS; i++) {
		cprng_store_be64(block[i], counter.hi);
		cprng_store_be64(block[i] + 8, counter.lo);
		counter = cprng_uint128_add64(counter, 1);
	}
	cprng_aesctr_advance(ks, n);
	for (i = 0; i < AES_PLANES; i++)
		x[i] = AES_PLANE_LOAD(block[i * SLICED_VECTOR_BLOCKS]);
}

static CPRNG_NOINLINE void sliced_generate(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks)
{
	sliced_key key[CPRNG_AES256_ROUNDS + 1] __attribute__((aligned(16)));
	uint8_t last[SLICED_BLOCKS * CPRNG_AES_BLOCK];
	AES_PLANE x[AES_PLANES];
	uint8_t *to;
	size_t n;
	unsigned int i;

	aes_slice_keys(key, ks, rounds);
	for (; nblocks > 0; nblocks -= n, out += n * CPRNG_AES_BLOCK) {
		n = nblocks < SLICED_BLOCKS ? nblocks : SLICED_BLOCKS;
		to = n == SLICED_BLOCKS ? out : last;
		sliced_counters(x, ks, n);
		aes_transpose(x);
		for (i = 0; i < AES_PLANES; i++)
			x[i] ^= AES_PLANE_LOAD16(key[0][i]);
		for (i = 1; i < rounds; i++)
			sliced_round(x, key[i]);
		sliced_last_round(x, key[rounds]);
		aes_transpose(x);
		for (i = 0; i < AES_PLANES; i++)
			AES_PLANE_STORE(to + i * sizeof(AES_PLANE), x[i]);
		if (to == last)
			memcpy(out, last, n * CPRNG_AES_BLOCK);
	}
	cprng_wipe(key, sizeof(key));
	cprng_wipe(last, sizeof(last));
}

/* The compiler spills: the stack of sliced_generate() and of the functions that it calls. */
CPRNG_DEFINE_WIPE_STACK(sliced_wipe_stack, AES_PLANE, 5120 / sizeof(AES_PLANE))

CPRNG_INLINE void sliced_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks)
{
	if (nblocks == 0)
		return;
	sliced_generate(ks, rounds, out, nblocks);
	sliced_wipe_stack();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-CTR in portable C, bitsliced: no address and no branch depends on a secret.
 *
 * Four blocks are eight planes of 64 bits, plane b holding bit b of every byte.  Within a plane, bits 5:4 of the index
 * are the row of the byte in FIPS 197's state, bits 3:2 its column and bits 1:0 its block.
 *
 * ShiftRows is never executed.  After i rounds the planes hold the state with i ShiftRows missing.  MixColumns takes the other
 * rows of its column from their displaced positions, and round keys are displaced in the same way.  At the end two ShiftRows are
 * missing, after 10 rounds as after 14, since four are the identity; the conversion back to blocks makes up for them.
 */
#include "engine/aesctr/aesctr.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"

#define AES_PLANE uint64_t
#include "engine/aesctr/aesctr_planes.h"

enum {
	PLANES = AES_PLANES,
	BLOCKS = 4, /* in flight */
};

typedef uint64_t plane_array[PLANES];

/*
 * Convert blocks 0 to 3 to planes.  Each word of aes_transpose()'s input holds two columns of a block that are two apart, with
 * their bytes in row order; this puts the rows and columns of a plane in order.
 */
static void slice(uint64_t x[PLANES], uint8_t in[BLOCKS][CPRNG_AES_BLOCK])
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		x[i] = cprng_load_le64(in[i]);
		x[i + BLOCKS] = cprng_load_le64(in[i] + 8);
		aes_swap_bits(&x[i], &x[i + BLOCKS], 0x00000000ffffffff, 32);
	}
	for (i = 0; i < PLANES; i++) {
		aes_swap_bits(&x[i], &x[i], 0x00000000ffff0000, 16);
		aes_swap_bits(&x[i], &x[i], 0x0000ff000000ff00, 8);
	}
	aes_transpose(x);
}

/* The reverse, with two ShiftRows: odd rows swap columns that are two apart.  Writes n blocks. */
static void unslice(uint64_t x[PLANES], uint8_t *out, size_t n)
{
	unsigned int i;

	aes_transpose(x);
	for (i = 0; i < PLANES; i++) {
		aes_swap_bits(&x[i], &x[i], 0x0000ff000000ff00, 8);
		aes_swap_bits(&x[i], &x[i], 0x00000000ffff0000, 16);
		aes_swap_bits(&x[i], &x[i], 0x00000000ff00ff00, 32);
	}
	for (i = 0; i < n; i++) {
		aes_swap_bits(&x[i], &x[i + BLOCKS], 0x00000000ffffffff, 32);
		cprng_store_le64(out + CPRNG_AES_BLOCK * i, x[i]);
		cprng_store_le64(out + CPRNG_AES_BLOCK * i + 8, x[i + BLOCKS]);
	}
}

/* For every bit of a plane, the bit that is `rows` rows down and `columns` columns to the right. */
CPRNG_INLINE uint64_t look(uint64_t x, unsigned int rows, unsigned int columns)
{
	const uint64_t unwrapped = UINT64_C(0x0001000100010001) * (0xffff >> 4 * columns);

	x = x >> 16 * rows | x << (64 - 16 * rows);
	if (columns == 0)
		return x;
	return (x >> 4 * columns & unwrapped) | (x << (16 - 4 * columns) & ~unwrapped);
}

/* A round without SubBytes, on a state that lacks `missing` ShiftRows (mod 4). */
CPRNG_INLINE void mix_and_add(uint64_t x[PLANES], const uint64_t key[PLANES], unsigned int missing)
{
	uint64_t next, sum, carry = 0, top;
	unsigned int i;

	top = x[7] ^ look(x[7], 1, missing);
	for (i = 0; i < PLANES; i++) {
		next = look(x[i], 1, missing);
		sum = x[i] ^ next;
		x[i] = next ^ look(sum, 2, 2 * missing % 4) ^ carry ^ key[i];
		if (i == 0 || i == 1 || i == 3 || i == 4) /* the bits of the field's polynomial, 0x1b */
			x[i] ^= top;
		carry = sum;
	}
}

CPRNG_INLINE void full_round(uint64_t x[PLANES], const uint64_t key[PLANES], unsigned int missing)
{
	aes_sub_bytes(x);
	mix_and_add(x, key, missing);
}

/* Round keys as planes, the same for all blocks, displaced for the missing ShiftRows. */
static void aes_slice_keys(plane_array *sliced, const struct cprng_keystate *ks, unsigned int rounds)
{
	uint8_t moved[BLOCKS][CPRNG_AES_BLOCK] = { { 0 } };
	uint64_t x[PLANES], bits;
	unsigned int i, j, row, column, plane;

	for (i = 0; i <= rounds; i += BLOCKS) {
		for (j = 0; j < BLOCKS && i + j <= rounds; j++)
			for (column = 0; column < 4; column++)
				for (row = 0; row < 4; row++)
					moved[j][4 * ((column + j * row) % 4) + row] =
						ks->u.round_key[i + j][4 * column + row];
		slice(x, moved);
		for (j = 0; j < BLOCKS && i + j <= rounds; j++)
			for (plane = 0; plane < PLANES; plane++) {
				bits = x[plane] >> j & UINT64_C(0x1111111111111111);
				sliced[i + j][plane] = (bits << 4) - bits;
			}
	}
	for (i = 1; i <= rounds; i++)
		for (plane = 0; plane < PLANES; plane++)
			if (0x63 >> plane & 1)
				sliced[i][plane] = ~sliced[i][plane];
	cprng_wipe(moved, sizeof(moved));
	cprng_wipe(x, sizeof(x));
}

static CPRNG_NOINLINE CPRNG_NO_CANARY void aes_portable_generate(struct cprng_keystate *ks, unsigned int rounds,
								 uint8_t *out, size_t nblocks)
{
	plane_array key[CPRNG_AES256_ROUNDS + 1];
	uint8_t counter[BLOCKS][CPRNG_AES_BLOCK];
	uint64_t x[PLANES];
	size_t n;
	unsigned int i;

	aes_slice_keys(key, ks, rounds);
	for (; nblocks > 0; nblocks -= n, out += n * CPRNG_AES_BLOCK) {
		n = nblocks < BLOCKS ? nblocks : BLOCKS;
		for (i = 0; i < BLOCKS; i++) {
			/* Blocks of counters past n are discarded. */
			cprng_store_be64(counter[i], ks->counter_hi);
			cprng_store_be64(counter[i] + 8, ks->counter_lo);
			if (i < n)
				cprng_aesctr_advance(ks, 1);
		}
		slice(x, counter);
		for (i = 0; i < PLANES; i++)
			x[i] ^= key[0][i];
		full_round(x, key[1], 1);
		for (i = 2; i < rounds; i += 4) {
			full_round(x, key[i], 2);
			full_round(x, key[i + 1], 3);
			full_round(x, key[i + 2], 0);
			full_round(x, key[i + 3], 1);
		}
		aes_sub_bytes(x);
		for (i = 0; i < PLANES; i++)
			x[i] ^= key[rounds][i];
		unslice(x, out, n);
	}
	cprng_wipe(key, sizeof(key));
	cprng_wipe(x, sizeof(x));
}

/*
 * The compiler spills: aes_portable_generate() and expand() with their callees use at most 1.8 KiB of stack (gcc -O3 for 64-bit
 * Power), or 2.9 KiB if a plane takes two registers (gcc -O3 for i686).  The Linux kernel warns about frames above 2 KiB.
 */
CPRNG_DEFINE_WIPE_STACK(aes_portable_wipe_stack, uint64_t, sizeof(void *) == 4 ? 384 : 240)

CPRNG_NO_CANARY void cprng_aesctr_portable_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out,
						     size_t nblocks, unsigned int flags)
{
	(void)flags;
	if (nblocks == 0)
		return;
	aes_portable_generate(ks, rounds, out, nblocks);
	aes_portable_wipe_stack();
}

/* SubWord of FIPS 197. */
static uint32_t sub_word(uint32_t word)
{
	uint64_t x[PLANES];
	unsigned int i;

	for (i = 0; i < PLANES; i++)
		x[i] = word >> i & 0x01010101;
	aes_sub_bytes(x);
	word = 0x63636363;
	for (i = 0; i < PLANES; i++)
		word ^= (uint32_t)x[i] << i;
	return word;
}

/* FIPS 197, 5.2; words are loaded little-endian, so RotWord is a rotation to the right. */
static CPRNG_NOINLINE CPRNG_NO_CANARY void expand(struct cprng_keystate *ks, const uint8_t *key, unsigned int key_words)
{
	uint8_t *const bytes = ks->u.round_key[0];
	const unsigned int words = 4 * (key_words + 7);
	uint32_t word, rcon = 1;
	unsigned int i;

	memcpy(bytes, key, 4 * (size_t)key_words);
	word = cprng_load_le32(key + 4 * (key_words - 1));
	for (i = key_words; i < words; i++) {
		if (i % key_words == 0) {
			word = sub_word(word >> 8 | word << 24) ^ rcon;
			rcon = (rcon << 1) ^ (rcon >> 7) * 0x11b; /* not secret: multiplied by x in the field */
		} else if (i % key_words == 4) {
			word = sub_word(word);
		}
		word ^= cprng_load_le32(bytes + 4 * (i - key_words));
		cprng_store_le32(bytes + 4 * i, word);
	}
}

void cprng_aesctr_portable_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	expand(ks, key, (unsigned int)key_size / 4);
	aes_portable_wipe_stack();
}

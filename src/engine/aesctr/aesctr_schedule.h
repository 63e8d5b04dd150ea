/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key schedule, for latency: a generator pays for it at every refill, and waits for it.
 *
 * The only serial part of FIPS 197's expansion is the last word of each round key.  Call it u[i], T[i] the word that
 * SubWord (with RotWord and Rcon where they apply) makes of u[i-1], and L the distance to the round key that is added
 * (1 for AES-128, 2 for AES-256).  The four running sums within a round key add up, over four of them, to the identity
 * (as polynomials over GF(2): (1 + x)^4 = 1 + x^4), and so
 *
 *	u[i] = T[i] ^ u[i - 4L]
 *
 * where the u of negative index are sums of the key's words.  One "last round" instruction is SubBytes, ShiftRows and
 * an XOR, a whole step of this chain, but for two things: ShiftRows moves the bytes of its four columns apart, and
 * RotWord needs another shuffle.  Neither is undone.  The chain vector holds byte (c + b * r + o) mod 4 of u[i] in
 * column c and row r; ShiftRows adds one to b, RotWord takes one from o.  Byte shuffles that know b and o convert what
 * goes into the chain and what comes out, off the critical path, which is left with one instruction a round key.
 *
 * The including file defines, on vectors of 16 bytes:
 *
 *	AES_W                   the type
 *	AES_W_LOAD(p)           from memory at any alignment
 *	AES_W_STORE(p, w)       to memory aligned to 16
 *	AES_W_XOR(a, b)
 *	AES_W_DOWN(w, n)        shifted n (a constant) words down, zeros coming in from above
 *	AES_W_SHUFFLE(w, m)     byte i is byte m[i] of w, or 0 if that is 0x80
 *	AES_W_SUBSHIFT(w, x)    ShiftRows(SubBytes(w)) ^ x
 *
 * and gets aes_expand().
 */
#include "core/port.h"
#include "engine/aesctr/aesctr.h"

struct aes_step {
	uint8_t put[16];  /* from one word of a round key to the chain */
	uint8_t rcon[16]; /* in the order of the chain */
	uint8_t get[16];  /* from the chain to the same word four times */
} __attribute__((aligned(16)));

#define AES_AT(c, r, b, o) (((c) + (b) * (r) + (o)) & 3)
#define AES_PUT(c, r, b, o, word) (4 * (word) + AES_AT(c, r, b, o))
#define AES_RCON(c, r, b, o, rcon) (AES_AT(c, r, b, o) ? 0 : (rcon))
#define AES_GET(c, r, b, o, unused) (4 * (((r) - (o)) & 3))
#define AES_COLUMN(f, c, b, o, x) f(c, 0, b, o, x), f(c, 1, b, o, x), f(c, 2, b, o, x), f(c, 3, b, o, x)
#define AES_COLUMNS(f, b, o, x) \
	{ AES_COLUMN(f, 0, b, o, x), AES_COLUMN(f, 1, b, o, x), AES_COLUMN(f, 2, b, o, x), AES_COLUMN(f, 3, b, o, x) }
#define AES_STEP(b, o, word, rcon) \
	{ AES_COLUMNS(AES_PUT, b, o, word), AES_COLUMNS(AES_RCON, b, o, rcon), AES_COLUMNS(AES_GET, b, o, 0) }
/* The step to round key i. */
#define AES_STEP128(i, rcon) AES_STEP(i, 20 - (i), (i) < 4 ? (i) - 1 : 3, rcon)
#define AES_STEP256(i, rcon) AES_STEP((i) - 1, 8 - (i) / 2, (i) < 8 ? (i) / 2 - 1 : 3, rcon)

static const struct aes_step aes_steps128[] = {
	AES_STEP128(1, 0x01), AES_STEP128(2, 0x02), AES_STEP128(3, 0x04), AES_STEP128(4, 0x08), AES_STEP128(5, 0x10),
	AES_STEP128(6, 0x20), AES_STEP128(7, 0x40), AES_STEP128(8, 0x80), AES_STEP128(9, 0x1b), AES_STEP128(10, 0x36),
};

static const struct aes_step aes_steps256[] = {
	AES_STEP256(2, 0x01),  AES_STEP256(3, 0),    AES_STEP256(4, 0x02),  AES_STEP256(5, 0),     AES_STEP256(6, 0x04),
	AES_STEP256(7, 0),     AES_STEP256(8, 0x08), AES_STEP256(9, 0),     AES_STEP256(10, 0x10), AES_STEP256(11, 0),
	AES_STEP256(12, 0x20), AES_STEP256(13, 0),   AES_STEP256(14, 0x40),
};

/* The order of the chain at the start: row r of column c holds byte c of the last word. */
static const uint8_t aes_start[16] __attribute__((aligned(16))) = AES_COLUMNS(AES_PUT, 0, 0, 3);

/*
 * One step.  feed holds u[i - 4L] in the word that step->put takes, before is round key i - L; returns round key i.
 */
CPRNG_INLINE AES_W aes_next_key(AES_W *chain, const struct aes_step *step, AES_W feed, AES_W before)
{
	const AES_W add = AES_W_XOR(AES_W_SHUFFLE(feed, AES_W_LOAD(step->put)), AES_W_LOAD(step->rcon));
	/* Round key i is u[i] four times, plus this: from u[i] back, each word is the next ^ that word in before. */
	const AES_W rest = AES_W_XOR(AES_W_XOR(AES_W_DOWN(before, 1), AES_W_DOWN(before, 2)), AES_W_DOWN(before, 3));

	*chain = AES_W_SUBSHIFT(*chain, add);
	return AES_W_XOR(AES_W_SHUFFLE(*chain, AES_W_LOAD(step->get)), rest);
}

/* The words u[-3L], u[-2L], u[-L] and u[0], of a round key's words: w0^w1^w2^w3, w1^w3, w2^w3, w3. */
CPRNG_INLINE AES_W aes_history(AES_W k)
{
	static const uint8_t add3[16] = { 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 128, 128, 128, 128 };
	static const uint8_t add1[16] = { 4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128 };
	static const uint8_t add2[16] = { 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128 };

	return AES_W_XOR(AES_W_XOR(k, AES_W_SHUFFLE(k, AES_W_LOAD(add3))),
			 AES_W_XOR(AES_W_SHUFFLE(k, AES_W_LOAD(add1)), AES_W_SHUFFLE(k, AES_W_LOAD(add2))));
}

CPRNG_INLINE void aes_expand128(struct cprng_keystate *ks, const uint8_t *key)
{
	AES_W k = AES_W_LOAD(key), chain = AES_W_SHUFFLE(k, AES_W_LOAD(aes_start));
	const AES_W history = aes_history(k);
	unsigned int i;

	AES_W_STORE(ks->u.round_key[0], k);
	for (i = 1; i <= CPRNG_AES128_ROUNDS; i++) {
		k = aes_next_key(&chain, &aes_steps128[i - 1], i < 4 ? history : AES_W_LOAD(ks->u.round_key[i - 4]), k);
		AES_W_STORE(ks->u.round_key[i], k);
	}
}

CPRNG_INLINE void aes_expand256(struct cprng_keystate *ks, const uint8_t *key)
{
	AES_W even = AES_W_LOAD(key), odd = AES_W_LOAD(key + 16), chain = AES_W_SHUFFLE(odd, AES_W_LOAD(aes_start));
	AES_W feed_even = aes_history(even), feed_odd = aes_history(odd);
	unsigned int i;

	AES_W_STORE(ks->u.round_key[0], even);
	AES_W_STORE(ks->u.round_key[1], odd);
	for (i = 2; i < CPRNG_AES256_ROUNDS; i += 2) {
		if (i >= 8) {
			feed_even = AES_W_LOAD(ks->u.round_key[i - 8]);
			feed_odd = AES_W_LOAD(ks->u.round_key[i - 7]);
		}
		even = aes_next_key(&chain, &aes_steps256[i - 2], feed_even, even);
		AES_W_STORE(ks->u.round_key[i], even);
		odd = aes_next_key(&chain, &aes_steps256[i - 1], feed_odd, odd);
		AES_W_STORE(ks->u.round_key[i + 1], odd);
	}
	even = aes_next_key(&chain, &aes_steps256[i - 2], AES_W_LOAD(ks->u.round_key[i - 8]), even);
	AES_W_STORE(ks->u.round_key[i], even);
}

CPRNG_INLINE void aes_expand(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	if (key_size == 32)
		aes_expand256(ks, key);
	else
		aes_expand128(ks, key);
}

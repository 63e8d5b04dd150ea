/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/sha256.h"

#include "core/bytes.h"
#include "core/wipe.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The same of the square roots of the first 8 primes (5.3.3). */
static const uint32_t initial_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t rotate_right(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

/* The compression function (6.2.2).  The message schedule is a ring of 16 words, to keep the stack small. */
static void compress(uint32_t state[8], const uint8_t block[CPRNG_SHA256_BLOCK])
{
	uint32_t w[16], s[8];

	for (size_t i = 0; i < 16; i++)
		w[i] = load_be32(block + 4 * i);
	memcpy(s, state, sizeof(s));
	for (size_t t = 0; t < 64; t++) {
		uint32_t e = s[4], a = s[0], t1, t2;

		if (t >= 16) {
			const uint32_t w2 = w[(t - 2) % 16], w15 = w[(t - 15) % 16];

			w[t % 16] += (rotate_right(w2, 17) ^ rotate_right(w2, 19) ^ w2 >> 10) + w[(t - 7) % 16] +
				     (rotate_right(w15, 7) ^ rotate_right(w15, 18) ^ w15 >> 3);
		}
		t1 = s[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
		     ((e & s[5]) ^ (~e & s[6])) + round_constants[t] + w[t % 16];
		t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
		     ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		s[7] = s[6];
		s[6] = s[5];
		s[5] = e;
		s[4] = s[3] + t1;
		s[3] = s[2];
		s[2] = s[1];
		s[1] = a;
		s[0] = t1 + t2;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
	/* The message could be recovered from the schedule. */
	cprng_wipe(w, sizeof(w));
	cprng_wipe(s, sizeof(s));
}

void cprng_sha256_init(struct cprng_sha256 *h)
{
	memcpy(h->state, initial_state, sizeof(h->state));
	h->length = 0;
}

void cprng_sha256_update(struct cprng_sha256 *h, const void *data, size_t len)
{
	const uint8_t *p = (const uint8_t *)data;

	while (len != 0) {
		const size_t used = h->length % CPRNG_SHA256_BLOCK, space = CPRNG_SHA256_BLOCK - used;
		const size_t n = len < space ? len : space;

		if (n == CPRNG_SHA256_BLOCK) {
			compress(h->state, p);
		} else {
			memcpy(h->block + used, p, n);
			if (n == space)
				compress(h->state, h->block);
		}
		h->length += n;
		p += n;
		len -= n;
	}
}

/* Padding (5.1.1): a bit, zeros, and the length in bits; then the digest.  Wipes the hash. */
void cprng_sha256_final(struct cprng_sha256 *h, uint8_t digest[CPRNG_SHA256_SIZE])
{
	size_t used = h->length % CPRNG_SHA256_BLOCK;

	h->block[used++] = 0x80;
	if (used > CPRNG_SHA256_BLOCK - 8) {
		memset(h->block + used, 0, CPRNG_SHA256_BLOCK - used);
		compress(h->state, h->block);
		used = 0;
	}
	memset(h->block + used, 0, CPRNG_SHA256_BLOCK - 8 - used);
	cprng_store_be64(h->block + CPRNG_SHA256_BLOCK - 8, h->length * 8);
	compress(h->state, h->block);
	for (size_t i = 0; i < 8; i++) {
		for (size_t j = 0; j < 4; j++)
			digest[4 * i + j] = (uint8_t)(h->state[i] >> (24 - 8 * j));
	}
	cprng_wipe(h, sizeof(*h));
}

/* The state after a block of zeros, with which SHAd-256 begins each message: a third of a short one. */
static const uint32_t state_after_zeros[8] = {
	0xda5698be, 0x17b9b469, 0x62335799, 0x779fbeca, 0x8ce5d491, 0xc0d26243, 0xbafef9ea, 0x1837a9d8,
};

void cprng_sha256d_init(struct cprng_sha256 *h)
{
	memcpy(h->state, state_after_zeros, sizeof(h->state));
	h->length = CPRNG_SHA256_BLOCK;
}

void cprng_sha256d_final(struct cprng_sha256 *h, uint8_t digest[CPRNG_SHA256_SIZE])
{
	uint8_t inner[CPRNG_SHA256_SIZE];

	cprng_sha256_final(h, inner);
	cprng_sha256_init(h);
	cprng_sha256_update(h, inner, sizeof(inner));
	cprng_sha256_final(h, digest);
	cprng_wipe(inner, sizeof(inner));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the bitsliced implementations of AES: the S-box as a circuit, and the conversion of bytes to planes and back.  No
 * address and no branch depends on a secret.  The including file defines AES_PLANE, the type of a plane: uint64_t or a vector of
 * uint64_t, with the operators of C.
 */
#include "engine/aesctr/aesctr.h"

enum {
	AES_PLANES = 8,
};

/*
 * The forward S-box without its constant 0x63, which is part of the round keys.  The circuit is that of Boyar and Peralta, "A
 * depth-16 circuit for the AES S-box" (2011), with 128 gates before the constant is removed.  Unlike theirs, x[0] is the least
 * significant bit here.
 */
static void aes_sub_bytes(AES_PLANE x[AES_PLANES])
{
	const AES_PLANE x0 = x[7], x1 = x[6], x2 = x[5], x3 = x[4], x4 = x[3], x5 = x[2], x6 = x[1], x7 = x[0];
	AES_PLANE y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21;
	AES_PLANE z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17;
	AES_PLANE a, b, c, d, e, f, g, h, m, p, q, r, s, t, u, v, w;

	/* The top linear layer: conversion to the basis of the inversion. */
	a = x1 ^ x2;
	y8 = x0 ^ x5;
	y9 = x0 ^ x3;
	y13 = x0 ^ x6;
	y14 = x3 ^ x5;
	y12 = y13 ^ y14;
	y1 = a ^ x7;
	y2 = y1 ^ x0;
	y4 = y1 ^ x3;
	y5 = y1 ^ x6;
	y3 = y5 ^ y8;
	b = x4 ^ y12;
	y15 = b ^ x5;
	y20 = b ^ x1;
	y6 = y15 ^ x7;
	y10 = y15 ^ a;
	y11 = y20 ^ y9;
	y7 = x7 ^ y11;
	y17 = y10 ^ y11;
	y19 = y10 ^ y8;
	y16 = a ^ y11;
	y18 = x0 ^ y16;
	y21 = y13 ^ y16;

	/* Inversion in GF(2^8), through GF(2^4). */
	a = y12 & y15;
	b = y13 & y16;
	c = y9 & y11;
	d = (y14 & y17) ^ c;
	e = (y8 & y10) ^ c;
	p = (y3 & y6) ^ a ^ d ^ y20;
	q = (y4 & x7) ^ a ^ e ^ y19;
	r = (y5 & y1) ^ b ^ d ^ y21;
	s = (y2 & y7) ^ b ^ e ^ y18;

	t = p ^ q;
	u = p & r;
	v = s ^ u;
	f = (t & v) ^ q;
	w = ((q ^ u) & (r ^ s)) ^ s;
	g = s & (v ^ w);
	h = g ^ r ^ w;
	m = t ^ (f & (v ^ g));

	a = m ^ h;
	b = f ^ w;
	c = f ^ m;
	d = w ^ h;
	e = b ^ a;
	z0 = d & y15;
	z1 = h & y6;
	z2 = w & x7;
	z3 = c & y16;
	z4 = m & y1;
	z5 = f & y7;
	z6 = b & y11;
	z7 = e & y17;
	z8 = a & y10;
	z9 = d & y12;
	z10 = h & y3;
	z11 = w & y4;
	z12 = c & y13;
	z13 = m & y5;
	z14 = f & y2;
	z15 = b & y9;
	z16 = e & y14;
	z17 = a & y8;

	/* The bottom linear layer: conversion back, and the affine map. */
	a = z15 ^ z16;
	b = z5 ^ z13;
	c = z0 ^ z3;
	d = z2 ^ z12 ^ c;
	e = z3 ^ z6 ^ z7;
	f = z4 ^ a;
	g = a ^ d;
	h = z7 ^ z8 ^ f;
	m = z9 ^ z10 ^ f;
	p = z4 ^ e;
	q = z14 ^ d ^ h;
	r = z1 ^ m;
	s = c ^ r;
	x[7] = e ^ m;
	x[6] = p ^ s;
	x[5] = z16 ^ z17 ^ p ^ q;
	x[4] = s;
	x[3] = z2 ^ z5 ^ r;
	x[2] = z10 ^ z11 ^ q;
	x[1] = z12 ^ b ^ h;
	x[0] = b ^ g;
}

/* Exchange the bits of *x under mask << shift with the bits of *y under mask. */
CPRNG_INLINE void aes_swap_bits(AES_PLANE *x, AES_PLANE *y, uint64_t mask, unsigned int shift)
{
	const AES_PLANE t = ((*x >> shift) ^ *y) & mask;

	*y ^= t;
	*x ^= t << shift;
}

/* Swap bit i of each byte of word j with bit j of the same byte of word i. */
CPRNG_INLINE void aes_transpose(AES_PLANE x[AES_PLANES])
{
	unsigned int i;

	for (i = 0; i < 8; i += 2)
		aes_swap_bits(&x[i], &x[i + 1], 0x5555555555555555, 1);
	for (i = 0; i < 8; i += i & 1 ? 3 : 1)
		aes_swap_bits(&x[i], &x[i + 2], 0x3333333333333333, 2);
	for (i = 0; i < 4; i++)
		aes_swap_bits(&x[i], &x[i + 4], 0x0f0f0f0f0f0f0f0f, 4);
}

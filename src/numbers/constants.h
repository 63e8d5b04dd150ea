/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of the distributions.  Stream output depends on them, so they never change.
 *
 * The central part of the inverse normal distribution function is PPND16 of M. J. Wichura, "Algorithm AS 241: The
 * Percentage Points of the Normal Distribution" (Applied Statistics 37, 1988, doi:10.2307/2347330).  The tails differ from it:
 * they are functions of the logarithm itself, not of its square root.  Their three rational functions, and the polynomial for
 * the logarithm, were fitted for this library.  tests/vectors/check-numbers.py measures all errors.
 */
#ifndef CPRNG_NUMBERS_CONSTANTS_H
#define CPRNG_NUMBERS_CONSTANTS_H

/* z = q P(r) / Q(r), r = 0.180625 - q q, for r >= 0.  Coefficients of 1, r, r^2 ... */
#define CPRNG_NORMAL_SPLIT 0.180625 /* 0.425^2 */
#define CPRNG_NORMAL_CENTRE_P \
	3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, \
		45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727
#define CPRNG_NORMAL_CENTRE_Q \
	1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867, \
		39307.895800092710610, 28729.085735721942674, 5226.4952788528545610

/* The least |w| for which r < 0 (tests/unit/numbers/arrays.cpp). */
#define CPRNG_NORMAL_TAIL UINT64_C(0x6cccccccccccce00)

/* |z| = P(x) / Q(x), x = -log(p) - FROM, for -log(p) up to the next part's FROM */
#define CPRNG_NORMAL_NEAR_FROM 2.5
#define CPRNG_NORMAL_NEAR_P \
	0x1.64248e92491bep+0, 0x1.0bdf7ce279ccbp+1, 0x1.30d20c71d79d0p+0, 0x1.4cfafe3ed5fbep-2, 0x1.6c3572cdacac7p-5, \
		0x1.795a7cb3a7f07p-9, 0x1.38543ebdb1bddp-14, 0x1.08a0023b42583p-21
#define CPRNG_NORMAL_NEAR_Q \
	1.0, 0x1.1d73ab45b2b9ap+0, 0x1.e122ef9bf04a2p-2, 0x1.7ec9fc874e2f2p-4, 0x1.258941a0ef1abp-7, \
		0x1.8b59a8c6a6fcfp-12, 0x1.67fafeda3091ap-18, 0x1.77793defc6c2fp-27
#define CPRNG_NORMAL_MIDDLE_FROM 8.0
#define CPRNG_NORMAL_MIDDLE_P \
	0x1.b35a47ecc4b30p+1, 0x1.8044eb61f1947p+0, 0x1.0814eb05c4af8p-2, 0x1.659e7f6678389p-6, 0x1.f18f6ed1dcdb3p-11, \
		0x1.50f31eeb4183bp-16, 0x1.77a51c27a62f3p-23, 0x1.bafcedd9950b2p-32
#define CPRNG_NORMAL_MIDDLE_Q \
	1.0, 0x1.71a01ee18ba93p-2, 0x1.96a371dc24cf3p-5, 0x1.aac474125adaep-9, 0x1.b59232e6b70e7p-14, \
		0x1.90c8003f04337p-20, 0x1.fac0faa76c594p-28, 0x1.77c6ffe803f44p-38
#define CPRNG_NORMAL_FAR_FROM 20.0
#define CPRNG_NORMAL_FAR_P \
	0x1.7844f7521c453p+2, 0x1.065272233bf0ep+0, 0x1.1e905f7875db5p-4, 0x1.369458e3b7deap-9, 0x1.5c9e0eca1f96fp-15, \
		0x1.80934fc293918p-22, 0x1.613488b56f3b4p-30, 0x1.5bd0440810ec9p-40
#define CPRNG_NORMAL_FAR_Q \
	1.0, 0x1.2b481b3a0d279p-3, 0x1.0b6e3ece7bfa2p-7, 0x1.c9d6a77a68fc8p-13, 0x1.80fa275120643p-19, \
		0x1.233dc3d55e5cdp-26, 0x1.32eb0b3b45efap-35, 0x1.7f855a4334b7fp-47

/*
 * log(1 + f) = f - f f / 2 + s (f f / 2 + z (C0 + C1 z + ... + C6 z^6)), s = f / (2 + f), z = s s, where
 * sqrt(1/2) <= 1 + f < sqrt(2): the form of FDLIBM's e_log.c.  log(2) is split into two terms: the product of the high one
 * and an exponent is exact.
 */
#define CPRNG_LOG_C \
	0x1.5555555555558p-1, 0x1.9999999995296p-2, 0x1.2492492df812dp-2, 0x1.c71c62de0a6f8p-3, 0x1.7462b68bb997bp-3, \
		0x1.39fe28513767cp-3, 0x1.2b5ac1053f4aep-3
#define CPRNG_LOG_2_HIGH 0x1.62e42feep-1
#define CPRNG_LOG_2_LOW 0x1.a39ef35793c76p-33

#endif

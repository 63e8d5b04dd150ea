/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Salsa20 on vectors: the rounds, for engine/vector/lanes.h to drive.  A backend file includes a vector header, defines
 * CPRNG_LANES_KEYSTREAM and includes this file.
 */
#include "engine/salsa20/salsa20.h"

#define CPRNG_LANES_COUNTER 8

/* The specification's sections 3 to 5; x[a] ^= (x[b] + x[c]) <<< n */
#define SALSA20_STEP(x, a, b, c, n) \
	do { \
		const cprng_v sum = CPRNG_V_ADD((x)[b], (x)[c]); \
\
		(x)[a] = CPRNG_V_XOR((x)[a], CPRNG_V_ROTATE(sum, n)); \
	} while (0)
#define SALSA20_QUARTER(x, i0, i1, i2, i3) \
	do { \
		SALSA20_STEP(x, i1, i0, i3, 7); \
		SALSA20_STEP(x, i2, i1, i0, 9); \
		SALSA20_STEP(x, i3, i2, i1, 13); \
		SALSA20_STEP(x, i0, i3, i2, 18); \
	} while (0)

/* Columns, then rows. */
#define CPRNG_LANES_ROUND_A(x) \
	do { \
		SALSA20_QUARTER(x, 0, 4, 8, 12); \
		SALSA20_QUARTER(x, 5, 9, 13, 1); \
		SALSA20_QUARTER(x, 10, 14, 2, 6); \
		SALSA20_QUARTER(x, 15, 3, 7, 11); \
	} while (0)
#define CPRNG_LANES_ROUND_B(x) \
	do { \
		SALSA20_QUARTER(x, 0, 1, 2, 3); \
		SALSA20_QUARTER(x, 5, 6, 7, 4); \
		SALSA20_QUARTER(x, 10, 11, 8, 9); \
		SALSA20_QUARTER(x, 15, 12, 13, 14); \
	} while (0)

/* The column with the counter's low word, and the other columns. */
#define CPRNG_LANES_COLUMN(x) SALSA20_QUARTER(x, 0, 4, 8, 12)
#define CPRNG_LANES_OTHERS(word) \
	do { \
		cprng_salsa20_quarter(word, 5, 9, 13, 1); \
		cprng_salsa20_quarter(word, 10, 14, 2, 6); \
		cprng_salsa20_quarter(word, 15, 3, 7, 11); \
	} while (0)

#include "engine/vector/lanes.h"

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ChaCha on vectors: the rounds, for engine/vector/lanes.h to drive.  A backend file includes a vector header, defines
 * CPRNG_LANES_KEYSTREAM and includes this file.
 */
#include "engine/chacha/chacha.h"

#define CPRNG_LANES_COUNTER 12

/* RFC 8439, 2.1 */
#define CHACHA_STEP(x, a, b, d, n) \
	do { \
		(x)[a] = CPRNG_V_ADD((x)[a], (x)[b]); \
		(x)[d] = CPRNG_V_XOR((x)[d], (x)[a]); \
		(x)[d] = CPRNG_V_ROTATE((x)[d], n); \
	} while (0)
#define CHACHA_QUARTER(x, a, b, c, d) \
	do { \
		CHACHA_STEP(x, a, b, d, 16); \
		CHACHA_STEP(x, c, d, b, 12); \
		CHACHA_STEP(x, a, b, d, 8); \
		CHACHA_STEP(x, c, d, b, 7); \
	} while (0)

/* Columns, then diagonals. */
#define CPRNG_LANES_ROUND_A(x) \
	do { \
		CHACHA_QUARTER(x, 0, 4, 8, 12); \
		CHACHA_QUARTER(x, 1, 5, 9, 13); \
		CHACHA_QUARTER(x, 2, 6, 10, 14); \
		CHACHA_QUARTER(x, 3, 7, 11, 15); \
	} while (0)
#define CPRNG_LANES_ROUND_B(x) \
	do { \
		CHACHA_QUARTER(x, 0, 5, 10, 15); \
		CHACHA_QUARTER(x, 1, 6, 11, 12); \
		CHACHA_QUARTER(x, 2, 7, 8, 13); \
		CHACHA_QUARTER(x, 3, 4, 9, 14); \
	} while (0)

/* The column with the counter's low word, and the other columns. */
#define CPRNG_LANES_COLUMN(x) CHACHA_QUARTER(x, 0, 4, 8, 12)
#define CPRNG_LANES_OTHERS(word) \
	do { \
		cprng_chacha_quarter(&(word)[1], &(word)[5], &(word)[9], &(word)[13]); \
		cprng_chacha_quarter(&(word)[2], &(word)[6], &(word)[10], &(word)[14]); \
		cprng_chacha_quarter(&(word)[3], &(word)[7], &(word)[11], &(word)[15]); \
	} while (0)

#include "engine/vector/lanes.h"

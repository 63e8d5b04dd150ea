/* SPDX-License-Identifier: BSD-2-Clause */
/* Known answers that a backend must give before it may be selected. */
#ifndef CPRNG_ENGINE_KNOWN_ANSWERS_H
#define CPRNG_ENGINE_KNOWN_ANSWERS_H

#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

struct cprng_known_answers {
	/* The first 64 bytes literally, from published vectors where there are any.  key_size 0: unused. */
	struct cprng_known_literal {
		uint8_t key_size, nonce_size;
		uint64_t block;
		uint8_t key[CPRNG_KEY_SIZE_MAX], nonce[CPRNG_NONCE_SIZE_MAX];
		uint8_t keystream[64];
	} literal[2];
	/* The checksum of a run of blocks that selftest.c generates in the first `pieces` of its piece sizes. */
	struct cprng_known_run {
		uint8_t key_size, nonce_size, pieces;
		uint64_t block;
		uint8_t key[CPRNG_KEY_SIZE_MAX], nonce[CPRNG_NONCE_SIZE_MAX];
		uint64_t checksum[2];
	} run[3];
};

extern const struct cprng_known_answers cprng_known_answers[CPRNG_ENGINES];

CPRNG_END_DECLARATIONS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the output of a backend with the known answers of an engine. */
#include "core/bytes.h"
#include "core/wipe.h"
#include "engine/engine.h"
#include "engine/known_answers.h"

/*
 * The pieces of a run, in blocks: for engines with 64-byte blocks, and for AES.  The first is larger than the widest batches of
 * the backends (32 blocks, 64 for AES); the others exercise each of the narrower batches and their tails.  Offsets count from an
 * address that is aligned for streaming stores.
 */
static const struct piece {
	uint8_t blocks64, blocks16, offset, flags;
} pieces[] = {
	{ 33, 70, 1, 0 },
	{ 1, 1, 7, 0 },
	{ 2, 2, 3, 0 },
	{ 3, 3, 5, 0 },
	{ 5, 5, 9, 0 },
	{ 0, 11, 0, 0 },
	{ 0, 35, 2, 0 },
	{ 11, 40, 13, CPRNG_STREAMING },
	{ 17, 17, 16, CPRNG_STREAMING },
	{ 33, 70, 0, CPRNG_STREAMING },
};

/*
 * The most bytes at a time, 33 blocks: the buffer is on the stack, since a signal handler may be the first to draw.  Without the
 * backends that have large frames, no batch has more than 16 blocks.
 */
#ifdef CPRNG_SMALL_STACK
#define PIECE_MAX 1120
#else
#define PIECE_MAX 2112
#endif

#define GUARD 0x5bd1e9955bd1e995u

struct scratch {
	struct cprng_keystate ks;
	uint8_t out[PIECE_MAX + 16 + sizeof(uint64_t)] __attribute__((aligned(64)));
	uint64_t checksum[2];
};

/* Generate nblocks of keystream at out + offset; false if the bytes next to them were written as well. */
static bool selftest_generate(struct scratch *s, const struct cprng_engine *engine, const struct cprng_backend *backend,
			      size_t offset, size_t nblocks, unsigned int flags)
{
	uint8_t *const out = s->out + offset, *const end = out + nblocks * engine->block_size;

	cprng_store_le64(end, GUARD);
	if (offset != 0)
		out[-1] = (uint8_t)GUARD;
	backend->keystream(&s->ks, engine->rounds, out, nblocks, flags);
	return cprng_load_le64(end) == GUARD && (offset == 0 || out[-1] == (uint8_t)GUARD);
}

/*
 * Load the lines, which streaming stores have sent to memory: here the loads overlap, while the checksum would wait for one after
 * the other.
 */
static void fetch(const uint8_t *out, size_t len)
{
	for (size_t i = 0; i < len; i += 64)
		(void)*(const volatile uint8_t *)&out[i];
}

static uint64_t rotate_left(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

/*
 * Every step takes in 16 bytes and is a bijection of the two words, so a single error within 16 bytes always changes the result.
 * Steps do not commute, so swapped blocks are detected, too.  The constants are digits of pi and e.
 */
static void add_to_checksum(uint64_t checksum[2], const uint8_t *p, size_t len)
{
	uint64_t a = checksum[0], b = checksum[1];

	for (; len != 0; len -= 16, p += 16) {
		a = (rotate_left(a, 23) ^ cprng_load_le64(p)) * 0x243f6a8885a308d3u;
		b = (rotate_left(b, 41) ^ cprng_load_le64(p + 8)) * 0xb7e151628aed2a6bu + a;
	}
	checksum[0] = a;
	checksum[1] = b;
}

static bool literal_passes(struct scratch *s, const struct cprng_engine *engine, const struct cprng_backend *backend,
			   const struct cprng_known_literal *known)
{
	backend->set_key(&s->ks, known->key, known->key_size);
	engine->family->set_position(&s->ks, known->nonce, known->nonce_size, known->block);
	return selftest_generate(s, engine, backend, 1, sizeof(known->keystream) / engine->block_size, 0) &&
	       cprng_equal(s->out + 1, known->keystream, sizeof(known->keystream));
}

static bool run_passes(struct scratch *s, const struct cprng_engine *engine, const struct cprng_backend *backend,
		       const struct cprng_known_run *known)
{
	const size_t most = PIECE_MAX / engine->block_size;
	const struct piece *piece;
	size_t left, n;

	s->checksum[0] = 0;
	s->checksum[1] = 0;
	backend->set_key(&s->ks, known->key, known->key_size);
	engine->family->set_position(&s->ks, known->nonce, known->nonce_size, known->block);
	for (piece = pieces; piece != pieces + known->pieces; piece++) {
		for (left = engine->block_size == 64 ? piece->blocks64 : piece->blocks16; left != 0; left -= n) {
			n = left < most ? left : most;
			if (!selftest_generate(s, engine, backend, piece->offset, n, piece->flags))
				return false;
			if (piece->flags & CPRNG_STREAMING)
				fetch(s->out + piece->offset, n * engine->block_size);
			add_to_checksum(s->checksum, s->out + piece->offset, n * engine->block_size);
		}
	}
	return s->checksum[0] == known->checksum[0] && s->checksum[1] == known->checksum[1];
}

/* Return the answers of an engine of the table; NULL for any other engine. */
static const struct cprng_known_answers *answers_of(const struct cprng_engine *engine)
{
	for (size_t i = 0; i < CPRNG_ENGINES; i++) {
		if (engine == &cprng_engines[i])
			return &cprng_known_answers[i];
	}
	return NULL;
}

static int first_failure(struct scratch *s, const struct cprng_engine *engine, const struct cprng_backend *backend)
{
	const struct cprng_known_answers *known = answers_of(engine);
	int number = 0;
	size_t i;

	/* A backend does not pass without answers to compare: report the missing answer as the one that failed. */
	if (known == NULL || known->literal[0].key_size == 0)
		return 1;
	for (i = 0; i < CPRNG_ARRAY_SIZE(known->literal) && known->literal[i].key_size != 0; i++) {
		number++;
		if (!literal_passes(s, engine, backend, &known->literal[i]))
			return number;
	}
	if (known->run[0].key_size == 0)
		return number + 1;
	for (i = 0; i < CPRNG_ARRAY_SIZE(known->run) && known->run[i].key_size != 0; i++) {
		number++;
		if (!run_passes(s, engine, backend, &known->run[i]))
			return number;
	}
	return 0;
}

int cprng_engine_selftest(const struct cprng_engine *engine, const struct cprng_backend *backend)
{
	struct scratch s;
	int failed = first_failure(&s, engine, backend);

	/* This is no secret, but a search for leaked keystream must not find it. */
	cprng_wipe(&s, sizeof(s));
	return failed;
}

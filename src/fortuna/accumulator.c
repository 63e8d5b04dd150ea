/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/accumulator.h"

#include "core/wipe.h"

void cprng_accumulator_init(struct cprng_accumulator *a, uint32_t pool_min)
{
	memset(a, 0, sizeof(*a));
	a->pool_min = pool_min;
	for (size_t i = 0; i < CPRNG_POOLS; i++)
		cprng_sha256d_init(&a->pool[i].hash);
}

/* Atomic stores, since readers may load these fields concurrently. */
void cprng_accumulator_empty(struct cprng_accumulator *a)
{
	for (size_t i = 0; i < CPRNG_POOLS; i++) {
		struct cprng_pool *const pool = &a->pool[i];

		cprng_wipe(&pool->hash, sizeof(pool->hash));
		cprng_sha256d_init(&pool->hash);
		__atomic_store_n(&pool->entropy_bits, 0, __ATOMIC_RELAXED);
	}
	memset(a->next_pool, 0, sizeof(a->next_pool));
	__atomic_store_n(&a->last_reseed, 0, __ATOMIC_RELAXED);
	a->reseeds = 0;
	a->events = 0;
}

static uint32_t saturating_add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

void cprng_accumulator_add(struct cprng_accumulator *a, const struct cprng_event *event)
{
	uint8_t *const next = &a->next_pool[event->source];
	const bool is_urgent = a->urgent_source != 0 && event->source == a->urgent_source;
	struct cprng_pool *const pool = &a->pool[is_urgent ? 0 : *next];

	/* P_i || s || length(e) || e: the length makes the parts of the hashed string unambiguous. */
	cprng_sha256_update(&pool->hash, &event->source, 1);
	cprng_sha256_update(&pool->hash, &event->len, 1);
	cprng_sha256_update(&pool->hash, event->payload, event->len);
	/* Atomic, since readers load it without a lock; the same holds for the other fields that they load. */
	__atomic_store_n(&pool->entropy_bits, saturating_add(pool->entropy_bits, event->entropy_bits),
			 __ATOMIC_RELAXED);
	*next = (uint8_t)((*next + 1) % CPRNG_POOLS);
	a->events++;
}

bool cprng_accumulator_due(const struct cprng_accumulator *a, uint64_t now)
{
	/* Not started, or wiped by a fork: there are no pools. */
	if (a->pool_min == 0 || a->pool[0].entropy_bits < 8 * (uint64_t)a->pool_min)
		return false;
	/* One of the differences modulo 2^64 is the distance; the other is longer. */
	return a->reseeds == 0 ||
	       (now - a->last_reseed >= CPRNG_RESEED_INTERVAL_NS && a->last_reseed - now >= CPRNG_RESEED_INTERVAL_NS);
}

size_t cprng_accumulator_take(struct cprng_accumulator *a, uint64_t now)
{
	size_t len = 0;

	a->reseeds++;
	__atomic_store_n(&a->last_reseed, now, __ATOMIC_RELAXED);
	/* 2^i divides ReseedCnt as long as its i lowest bits are 0. */
	for (size_t i = 0; i < CPRNG_POOLS && (a->reseeds & (((uint64_t)1 << i) - 1)) == 0; i++) {
		cprng_sha256d_final(&a->pool[i].hash, a->seed + len);
		cprng_sha256d_init(&a->pool[i].hash);
		__atomic_store_n(&a->pool[i].entropy_bits, 0, __ATOMIC_RELAXED);
		len += CPRNG_SHA256_SIZE;
	}
	return len;
}

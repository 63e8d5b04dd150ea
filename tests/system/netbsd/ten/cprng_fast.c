/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the benchmark: cprng_fast according to the description of NetBSD 10's (ChaCha8 at IPL_SOFTSERIAL, 256 bytes at a time with
 * 128-bit vectors, no erasure, a reseed in the draw that finds a new epoch).  Its ChaCha8 is the library's SSE2 code.
 */
#include <sys/param.h>
#include <sys/cprng.h>
#include <sys/cpu.h>
#include <sys/evcnt.h>
#include <sys/intr.h>
#include <sys/kmem.h>
#include <sys/systm.h>

#include "core/wipe.h"
#include "engine/engine.h"
#include "kernel/netbsd/compat.h"

#define ENGINE (&cprng_engines[CPRNG_ENGINE_CHACHA8])

enum { BLOCKS = 4, BATCH = BLOCKS * 64 };

struct state {
	uint8_t bytes[BATCH];
	uint8_t key[32];
	uint64_t nonce;
	unsigned int served, epoch;
	struct evcnt *reseeds;
};

static percpu_t *states __read_mostly;
static const struct cprng_backend *sse2 __read_mostly;

static void stream(const uint8_t *key, uint64_t nonce, uint8_t *out, size_t len)
{
	struct cprng_keystate ks;
	uint8_t last[64];

	sse2->set_key(&ks, key, 32);
	ENGINE->family->set_position(&ks, (const uint8_t *)&nonce, 8, 0);
	sse2->keystream(&ks, ENGINE->rounds, out, len / 64, 0);
	if (len % 64 != 0) {
		sse2->keystream(&ks, ENGINE->rounds, last, 1, 0);
		memcpy(out + len / 64 * 64, last, len % 64);
	}
}

static CPRNG_NOINLINE void reseed(struct state *st)
{
	const unsigned int epoch = entropy_epoch();
	uint8_t key[32];
	int s;

	(void)cprng_strong(kern_cprng, key, sizeof(key), 0);
	s = splsoftserial();
	memset(st->bytes, 0, sizeof(st->bytes));
	memcpy(st->key, key, sizeof(key));
	st->nonce = 0;
	st->served = BATCH;
	st->epoch = epoch;
	st->reseeds->ev_count++;
	splx(s);
	cprng_wipe(key, sizeof(key));
}

static void draw(void *dst, size_t len)
{
	struct state *const st = percpu_getref(states);
	size_t first;
	int s = splsoftserial();

	if (__predict_false(st->epoch != entropy_epoch())) {
		splx(s);
		reseed(st);
		s = splsoftserial();
	}
	first = MIN(len, BATCH - st->served);
	memcpy(dst, st->bytes + st->served, first);
	st->served += first;
	if (first != len) {
		stream(st->key, ++st->nonce, st->bytes, BATCH);
		memcpy((uint8_t *)dst + first, st->bytes, len - first);
		st->served = len - first;
	}
	splx(s);
	percpu_putref(states);
}

uint32_t cprng_fast32(void)
{
	uint32_t x;

	draw(&x, sizeof(x));
	return x;
}

uint64_t cprng_fast64(void)
{
	uint64_t x;

	draw(&x, sizeof(x));
	return x;
}

size_t cprng_fast(void *buf, size_t len)
{
	uint8_t key[32];

	if (len <= BATCH) {
		draw(buf, len);
		return len;
	}
	draw(key, sizeof(key));
	stream(key, 0, buf, len);
	cprng_wipe(key, sizeof(key));
	return len;
}

static void init_cpu(void *p, void *cookie, struct cpu_info *ci)
{
	struct state *const st = p;

	(void)cookie;
	st->reseeds = kmem_alloc(sizeof(*st->reseeds), KM_SLEEP);
	evcnt_attach_dynamic(st->reseeds, EVCNT_TYPE_MISC, NULL, ci->ci_cpuname, "cprng_fast reseed");
	reseed(st);
}

void cprng_fast_init(void)
{
	sse2 = cprng_backend_find(ENGINE, "sse2");
	if (sse2 == NULL)
		panic("no SSE2");
	states = percpu_create(sizeof(struct state), init_cpu, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drop-in for sys/dev/random/fortuna.c: the random_alg_context of random(4),
 * implemented by src/fortuna/.
 *
 * The kernel's harvest thread delivers events one at a time.  It waits for no
 * reader: if another thread holds the pools, the event goes into the queue,
 * and the next holder of the pools adds it.  Readers wait only for the
 * generator: with locked reads for one page of another reader.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <sys/time.h>

#include <machine/atomic.h>

#include <dev/random/randomdev.h>
#include <dev/random/random_harvestq.h>

#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "fortuna/fortuna.h"
#include "kernel/freebsd/glue.h"

/*
 * 12.x has AES, locked reads and no events of RANDOM_PURE_VMGENID; its
 * randomdev.c starts and stops the algorithm.
 */
#if __FreeBSD_version < 1300000
typedef u_int read_size;
typedef struct random_algorithm algorithm;
static const bool random_chachamode = false;
enum { IS_STARTED_BY_RANDOMDEV = 1, URGENT_SOURCE = 0 };
#else
typedef size_t read_size;
typedef const struct random_algorithm algorithm;
/* From dev/random/hash.h, which declares more than this file needs. */
extern bool random_chachamode;
enum { IS_STARTED_BY_RANDOMDEV = 0, URGENT_SOURCE = RANDOM_PURE_VMGENID };
#endif

static struct mtx locks[CPRNG_LOCKS];
/* Serializes the health tests.  Only threads that deliver events take it. */
static struct mtx health_lock;

static void
port_lock(void *arg, int which, uint64_t token[2])
{
	(void)arg;
	(void)token;
	mtx_lock(&locks[which]);
}

static int
port_try_lock(void *arg, int which, uint64_t token[2])
{
	(void)arg;
	(void)token;
	return (mtx_trylock(&locks[which]));
}

static void
port_unlock(void *arg, int which, const uint64_t token[2])
{
	(void)arg;
	(void)token;
	mtx_unlock(&locks[which]);
}

static uint64_t
port_now(void *arg)
{
	(void)arg;
	return ((uint64_t)sbttons(getsbinuptime()));
}

static const struct cprng_fortuna_port port = {
	.lock = port_lock,
	.try_lock = port_try_lock,
	.unlock = port_unlock,
	.now = port_now,
};

static struct cprng_fortuna_state state;
static struct cprng_fortuna_core fortuna = {
	.state = &state,
	.port = &port,
	.backend = &cprng_cipher,
	.pool_min = CPRNG_POOL_MIN_DEFAULT,
	/*
	 * As in FreeBSD's: a new generation of the virtual machine takes part
	 * in the next reseed, not in that of its pool.
	 */
	.urgent_source = URGENT_SOURCE,
};

/* ------------------------------------------------------------- tunables */

static struct sysctl_ctx_list sysctls;

/* As in FreeBSD's (docs/decisions/0019-concurrent-reads.md). */
static bool concurrent_read = !IS_STARTED_BY_RANDOMDEV;

static bool block_seeded_status = false;
SYSCTL_BOOL(_kern_random, OID_AUTO, block_seeded_status, CTLFLAG_RWTUN,
    &block_seeded_status, 0, "If non-zero, behave as before the first seed");

static int
sysctl_minpoolsize(SYSCTL_HANDLER_ARGS)
{
	u_int bytes = fortuna.pool_min;
	const int error = sysctl_handle_int(oidp, &bytes, 0, req);

	(void)arg1;
	(void)arg2;
	if (error != 0 || req->newptr == NULL)
		return (error);
	bytes = MIN(MAX(bytes, (u_int)CPRNG_POOL_MIN_LEAST),
	    (u_int)CPRNG_POOL_MIN_MOST);
	mtx_lock(&locks[CPRNG_LOCK_POOLS]);
	/* Readers load the first one without a lock, as a hint. */
	atomic_store_int(&fortuna.pool_min, bytes);
	state.accumulator.pool_min = bytes;
	mtx_unlock(&locks[CPRNG_LOCK_POOLS]);
	return (0);
}

static void
add_sysctls(void)
{
	struct sysctl_oid *const node = SYSCTL_ADD_NODE(&sysctls,
	    SYSCTL_STATIC_CHILDREN(_kern_random), OID_AUTO, "fortuna",
	    CTLFLAG_RW | CTLFLAG_MPSAFE, 0, "Fortuna Parameters");

	SYSCTL_ADD_PROC(&sysctls, SYSCTL_CHILDREN(node), OID_AUTO,
	    "minpoolsize", CTLTYPE_UINT | CTLFLAG_RWTUN | CTLFLAG_MPSAFE, NULL,
	    0, sysctl_minpoolsize, "IU",
	    "Minimum pool size necessary to cause a reseed");
	if (!IS_STARTED_BY_RANDOMDEV)
		SYSCTL_ADD_BOOL(&sysctls, SYSCTL_CHILDREN(node), OID_AUTO,
		    "concurrent_read", CTLFLAG_RDTUN, &concurrent_read, 0,
		    "If non-zero, generate outside of the lock");
}

/* ------------------------------------------------------------ algorithm */

/* Whether the kernel knows of the first reseed. */
static u_int is_announced;

/* If try_lock finds the lock taken, the next call checks again. */
static bool
announce(bool wait)
{
	bool is_seeded;

	if (__predict_true(atomic_load_acq_int(&is_announced) != 0))
		return (true);
	if (wait)
		mtx_lock(&locks[CPRNG_LOCK_GENERATOR]);
	else if (!mtx_trylock(&locks[CPRNG_LOCK_GENERATOR]))
		return (false);
	is_seeded = cprng_generator_seeded(&state.generator);
	mtx_unlock(&locks[CPRNG_LOCK_GENERATOR]);
	if (is_seeded && atomic_cmpset_rel_int(&is_announced, 0, 1))
		randomdev_unblock();
	return (is_seeded);
}

/*
 * The kernel's SP 800-90B tests (random_harvestq.c), which need a serialized
 * context.  Weak: no release has them before they came with the header that
 * declares them, and no build can leave them out where the kernel has them.
 */
bool random_harvest_healthtest(const struct harvest_event *event) __weak_symbol;

static bool
is_healthy(const struct harvest_event *event)
{
	bool passed;

	if (random_harvest_healthtest == NULL)
		return (true);
	mtx_lock(&health_lock);
	passed = random_harvest_healthtest(event);
	mtx_unlock(&health_lock);
	return (passed);
}

/* Like FreeBSD, count every byte of an event, its time included. */
static void
add_event(const struct harvest_event *event)
{
	const size_t size =
	    MIN((size_t)event->he_size, sizeof(event->he_entropy));
	struct cprng_event e;

	memset(&e, 0, sizeof(e));
	e.source = (uint8_t)event->he_source;
	e.len = (uint8_t)(sizeof(event->he_somecounter) + size);
	e.entropy_bits = (uint16_t)(8 * e.len);
	memcpy(
	    e.payload, &event->he_somecounter, sizeof(event->he_somecounter));
	memcpy(
	    e.payload + sizeof(event->he_somecounter), event->he_entropy, size);
	if (!cprng_fortuna_core_add_events(&fortuna, &e, 1, CPRNG_NOWAIT))
		(void)cprng_fortuna_core_put(&fortuna, &e);
	cprng_wipe(&e, sizeof(e));
	(void)announce(false);
}

/* 12.x leaves the erasure of the event to the algorithm. */
static void
process_event(struct harvest_event *event)
{
	if (is_healthy(event))
		add_event(event);
	cprng_wipe(event, sizeof(*event));
}

/* After the first seed, reads themselves drain, and reseed when due. */
static void
pre_read(void)
{
	if (__predict_true(atomic_load_acq_int(&is_announced) != 0))
		return;
	(void)cprng_fortuna_core_drain(&fortuna);
	(void)announce(false);
}

static CPRNG_NOINLINE int
read_whole(uint8_t *buf, size_t len)
{
	return (cprng_fortuna_core_read(&fortuna, buf, len, CPRNG_WAIT));
}

CPRNG_DEFINE_WIPE_STACK(
    wipe_stack, uint64_t, CPRNG_FORTUNA_FRAMES / sizeof(uint64_t))

/* The caller has checked seeded(). */
static void
read_random_bytes(uint8_t *buf, read_size len)
{
	const int status = read_whole(buf, len);

	wipe_stack();
	if (status != CPRNG_FORTUNA_OK)
		panic("cprng: a read of Fortuna before its first seed");
}

static bool
seeded(void)
{
	if (block_seeded_status)
		return (false);
	if (!announce(true))
		pre_read();
	return (announce(true));
}

static void init(void *unused);

#if __FreeBSD_version < 1300000
static void
deinit(void *unused)
{
	(void)unused;
	(void)sysctl_ctx_free(&sysctls);
	mtx_destroy(&locks[CPRNG_LOCK_POOLS]);
	mtx_destroy(&locks[CPRNG_LOCK_GENERATOR]);
	mtx_destroy(&health_lock);
	cprng_wipe(&state, sizeof(state));
	atomic_store_int(&is_announced, 0);
}
#elif defined(RANDOM_LOADABLE)
static
#endif
algorithm random_alg_context = {
	.ra_ident = "Fortuna",
	.ra_poolcount = CPRNG_POOLS,
#if __FreeBSD_version < 1300000
	.ra_init_alg = init,
	.ra_deinit_alg = deinit,
#endif
	.ra_pre_read = pre_read,
	.ra_read = read_random_bytes,
	.ra_seeded = seeded,
	.ra_event_processor = process_event,
};

static void
init(void *unused)
{
	(void)unused;
#if defined(RANDOM_LOADABLE) && __FreeBSD_version >= 1300000
	p_random_alg_context = &random_alg_context;
#endif
	mtx_init(&locks[CPRNG_LOCK_POOLS], "fortuna pools", NULL, MTX_DEF);
	mtx_init(
	    &locks[CPRNG_LOCK_GENERATOR], "fortuna generator", NULL, MTX_DEF);
	mtx_init(&health_lock, "fortuna health", NULL, MTX_DEF);
	fortuna.engine = cprng_cipher_init(random_chachamode);
	cprng_fortuna_core_start(&fortuna);
	add_sysctls();
	fortuna.locked_reads = !concurrent_read;
}
#if __FreeBSD_version >= 1300000
SYSINIT(random_alg, SI_SUB_RANDOM, SI_ORDER_SECOND, init, NULL);
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator of cprng_strong(9) of NetBSD 7, and so of /dev/random,
 * /dev/urandom, kern.urandom and the keys of cprng_fast, in place of
 * sys/crypto/nist_ctr_drbg.  It has that file's interface and is no CTR_DRBG of
 * SP 800-90A: all objects of cprng_strong(9) read one Fortuna (src/fortuna/).
 *
 * The seed that NetBSD gives to an object reseeds Fortuna at once.  Fortuna's
 * pools also collect it, and the counter that comes with each request.  Words
 * of the CPU's entropy source, each of which takes thousands of cycles, are
 * mixed only into the first key, because reseeds run under a spin mutex.
 *
 * Both locks of Fortuna are spin mutexes at IPL_VM, because kern_cprng is read
 * at that level.
 */
#include <sys/cdefs.h>
__KERNEL_RCSID(0, "$NetBSD$");

#include <sys/param.h>
#include <sys/mutex.h>
#include <sys/time.h>
#include <crypto/nist_ctr_drbg/nist_ctr_drbg.h>

#include "core/wipe.h"
#include "cpu/random_instructions.h"
#include "fortuna/fortuna.h"
#include "kernel/netbsd/glue.h"

enum source { SOURCE_SEED, SOURCE_REQUEST };
enum { CPU_WORDS = 4 };

static kmutex_t locks[CPRNG_LOCKS];

static void
port_lock(void *arg, int which, uint64_t token[2])
{
	(void)arg;
	(void)token;
	mutex_enter(&locks[which]);
}

static int
port_try_lock(void *arg, int which, uint64_t token[2])
{
	(void)arg;
	(void)token;
	return mutex_tryenter(&locks[which]);
}

static void
port_unlock(void *arg, int which, const uint64_t token[2])
{
	(void)arg;
	(void)token;
	mutex_exit(&locks[which]);
}

static uint64_t
port_now(void *arg)
{
	struct timespec ts;

	(void)arg;
	getnanouptime(&ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
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
};

static void
put(enum source source, const void *buf, size_t len)
{
	struct cprng_event e;

	memset(&e, 0, sizeof(e));
	e.source = source;
	e.len = MIN(len, (size_t)CPRNG_EVENT_MAX);
	memcpy(e.payload, buf, e.len);
	if (e.len != 0)
		(void)cprng_fortuna_core_put(&fortuna, &e);
	cprng_wipe(&e, sizeof(e));
}

static void
seed(const void *entropy, size_t len)
{
	(void)cprng_fortuna_core_seed(&fortuna, entropy, len, CPRNG_WAIT);
	put(SOURCE_SEED, entropy, len);
}

int
nist_ctr_initialize(void)
{
	uint64_t word[CPU_WORDS];
	size_t n = 0;

	cprng_cipher_init();
	fortuna.engine = cprng_cipher_engine();
	mutex_init(&locks[CPRNG_LOCK_POOLS], MUTEX_DEFAULT, IPL_VM);
	mutex_init(&locks[CPRNG_LOCK_GENERATOR], MUTEX_DEFAULT, IPL_VM);
	cprng_fortuna_core_start(&fortuna);
	while (n < CPU_WORDS && cprng_cpu_rdseed(&word[n]))
		n++;
	if (n != 0)
		(void)cprng_fortuna_core_seed(
		    &fortuna, word, n * sizeof(word[0]), CPRNG_WAIT);
	cprng_wipe(word, sizeof(word));
	return 0;
}

/* The caller checks reseed_counter, and reseeds when it is high. */
int
nist_ctr_drbg_reseed(NIST_CTR_DRBG *drbg, const void *entropy, int len,
    const void *additional, int additional_len)
{
	seed(entropy, (size_t)len);
	put(SOURCE_REQUEST, additional, (size_t)additional_len);
	drbg->reseed_counter = 1;
	return 0;
}

int
nist_ctr_drbg_instantiate(NIST_CTR_DRBG *drbg, const void *entropy, int len,
    const void *nonce, int nonce_len, const void *name, int name_len)
{
	memset(drbg, 0, sizeof(*drbg));
	put(SOURCE_REQUEST, name, (size_t)name_len);
	return nist_ctr_drbg_reseed(drbg, entropy, len, nonce, nonce_len);
}

int
nist_ctr_drbg_generate(NIST_CTR_DRBG *drbg, void *out, int len,
    const void *additional, int additional_len)
{
	put(SOURCE_REQUEST, additional, (size_t)additional_len);
	drbg->reseed_counter++;
	return cprng_fortuna_core_read(
		   &fortuna, out, (size_t)len, CPRNG_WAIT) == CPRNG_FORTUNA_OK ?
	    0 :
	    1;
}

int
nist_ctr_drbg_destroy(NIST_CTR_DRBG *drbg)
{
	cprng_wipe(drbg, sizeof(*drbg));
	return 0;
}

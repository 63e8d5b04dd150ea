/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna's cipher in FreeBSD's kernel.  Vector registers hold the state of a
 * program there, so a vector backend runs only in a section: between
 * fpu_kern_enter() and fpu_kern_leave(), which do not nest.  Only threads read,
 * so sections are allowed.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/proc.h>
#include <machine/fpu.h>

#include "cpu/cpu.h"
#include "cpu/registers.h"
#include "kernel/freebsd/glue.h"

/*
 * A section disables preemption: 4 KiB take a microsecond with the slowest
 * vectors.
 */
enum { SECTION_BYTES = 4096 };

/*
 * For fewer blocks, saving the registers takes longer than the portable code.
 * Portable AES is slower than any section.
 */
enum { VECTOR_MIN_CHACHA20 = 4, VECTOR_MIN_AES = 0 };

/* No 512-bit vectors: their stack frames are large. */
#define FEATURES \
	(CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES | \
	    CPRNG_CPU_RDRAND | CPRNG_CPU_RDSEED)

static const struct cprng_engine *engine;
static const struct cprng_backend *portable, *vector;
static size_t vector_min;

static void
section_begin(void)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
}

/*
 * src/cpu/registers_*.c, renamed by Makefile.inc; call it only inside a
 * section.
 */
void cprng_clear_vector_registers(void);

static void
section_end(void)
{
	cprng_clear_vector_registers();
	fpu_kern_leave(curthread, NULL);
}

/*
 * The freestanding sources call this after each use of a backend; the sections
 * have already cleared their registers.
 */
void
cprng_clear_registers(void)
{
}

static void
run_backend(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out,
    size_t nblocks, unsigned int flags)
{
	(void)flags;
	while (vector != NULL && nblocks != 0 && nblocks >= vector_min) {
		const size_t n =
		    MIN(nblocks, (size_t)SECTION_BYTES / engine->block_size);

		section_begin();
		vector->keystream(ks, rounds, out, n, 0);
		section_end();
		out += n * engine->block_size;
		nblocks -= n;
	}
	if (nblocks != 0)
		portable->keystream(ks, rounds, out, nblocks, 0);
}

/* All backends of an engine use the same key format. */
static void
set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	if (vector == NULL || vector_min != VECTOR_MIN_AES) {
		portable->set_key(ks, key, key_size);
		return;
	}
	section_begin();
	vector->set_key(ks, key, key_size);
	section_end();
}

const struct cprng_backend cprng_cipher = { "freebsd", 0, set_key,
	run_backend };

static void
test(const struct cprng_backend *b)
{
	int failed;

	section_begin();
	failed = cprng_engine_selftest(engine, b);
	section_end();
	if (failed != 0)
		panic("cprng: self-test %d of %s/%s failed", failed,
		    engine->name, b->name);
}

bool
cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return (false);
}

/*
 * All backends must pass: they are compiled from one body, so a wrong one makes
 * all doubtful.  The portable one is last.
 */
const struct cprng_engine *
cprng_cipher_init(bool chacha)
{
	const struct cprng_backend *b;

	cprng_cpu_set_ceiling(FEATURES);
	engine = &cprng_engines[chacha ? CPRNG_ENGINE_CHACHA20 :
					 CPRNG_ENGINE_AES256_CTR];
	vector_min = chacha ? VECTOR_MIN_CHACHA20 : VECTOR_MIN_AES;
	vector = NULL;
	for (b = engine->family->backends; b->name != NULL; b++) {
		if (!cprng_backend_usable(b))
			continue;
		test(b);
		portable = b;
		if (vector == NULL && b[1].name != NULL)
			vector = b;
	}
	return (engine);
}

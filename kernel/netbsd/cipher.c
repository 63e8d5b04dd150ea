/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's cipher, and the self-tests of its backends.
 *
 * The freestanding sources call backends up to IPL_HIGH.  Vector registers hold
 * the state of a program there, so a vector backend runs only between
 * SECTION_BEGIN() and SECTION_END(), and only if IS_ALLOWED().  The build
 * selects their definitions (Makefile.inc):
 *
 *   CPRNG_NETBSD_FPU
 *       fpu_kern_enter() and fpu_kern_leave(), in NetBSD 10 and later, at
 *       IPL_VM and below; they raise the level to IPL_VM and do not nest
 *   CPRNG_NETBSD_RUMP
 *       nothing: a rump kernel is part of a program, whose compiler saves the
 *       registers that it needs
 *   neither
 *       there are no sections; the portable backend generates everything
 */
#include <sys/cdefs.h>
__KERNEL_RCSID(0, "$NetBSD$");

#include <sys/param.h>
#include <sys/cpu.h>
#include <sys/intr.h>
#include <sys/systm.h>
#if defined(CPRNG_NETBSD_FPU)
#include <x86/fpu.h>
#endif

#include "core/wipe.h"
#include "cpu/cpu.h"
#include "cpu/registers.h"
#include "engine/expand.h"
#include "kernel/netbsd/glue.h"

#if defined(CPRNG_NETBSD_FPU)
#define SECTION_BEGIN() fpu_kern_enter()
#define SECTION_END() fpu_kern_leave()
#define HAS_SECTIONS true
#elif defined(CPRNG_NETBSD_RUMP)
#define SECTION_BEGIN() ((void)0)
#define SECTION_END() ((void)0)
#define HAS_SECTIONS true
#define IS_ALLOWED() true
#else
#define SECTION_BEGIN() ((void)0)
#define SECTION_END() ((void)0)
#define HAS_SECTIONS false
#define IS_ALLOWED() false
#endif

/*
 * Two members of x86's cpu_info tell.  A thread that moves to another CPU
 * between the loads may get the answer for an interrupt of the first one: no,
 * which is safe.  A test with an older cpu_info defines its own (fpu.h).
 */
#ifndef IS_ALLOWED
#define IS_ALLOWED() \
	(curcpu()->ci_ilevel <= IPL_VM && curcpu()->ci_kfpu_spl == -1)
#endif

enum {
	/*
	 * Interrupts up to IPL_VM wait in a section.  In one of a long request:
	 * 2 KiB, about two thousand cycles.  "Hundreds or even a couple
	 * thousands of cycles of crypto are probably acceptable" there
	 * ("cprng_fast and interrupts", 22 April 2014).
	 */
	SECTION_BLOCKS = 32,
	/*
	 * A refill has as many blocks as AVX2 makes at once; fewer take the
	 * same time.
	 */
	VECTOR_BLOCKS = 8,
	/*
	 * For draws of MANY_BYTES bytes: a section's own cycles, as many as those
	 * of 8 blocks, are shared by more draws.
	 */
	MANY_BLOCKS = CPRNG_BATCH_MAX / 64,
	MANY_BYTES = 128,
	/* The same time, for draws at levels above IPL_VM. */
	PORTABLE_BLOCKS = 4,
	/*
	 * For fewer blocks, saving and zeroing the registers takes longer than
	 * the portable code; for four, as long.
	 */
	VECTOR_MIN_BLOCKS = 4,
};

#define ENGINE (&cprng_engines[CPRNG_ENGINE_CHACHA20])

static const struct cprng_backend *portable, *vector;

/*
 * src/cpu/registers_x86_64.c, renamed by names.c; call it only inside a
 * section.
 */
void cprng_clear_vector_registers(void);

/*
 * The freestanding sources call this after each use of a backend; cprng_cipher
 * has already cleared its registers.
 */
void
cprng_clear_registers(void)
{
}

static bool
may_use_vectors(void)
{
	return vector != NULL && IS_ALLOWED();
}

static void
run_backend(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out,
    size_t nblocks, unsigned int flags)
{
	while (nblocks >= VECTOR_MIN_BLOCKS && may_use_vectors()) {
		const size_t n = MIN(nblocks, (size_t)SECTION_BLOCKS);

		SECTION_BEGIN();
		vector->keystream(ks, rounds, out, n, 0);
		cprng_clear_vector_registers();
		SECTION_END();
		out += n * 64;
		nblocks -= n;
	}
	if (nblocks != 0)
		portable->keystream(ks, rounds, out, nblocks, 0);
}

static void
set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	portable->set_key(ks, key, key_size);
}

const struct cprng_backend cprng_cipher = { "netbsd", 0, set_key, run_backend };

const struct cprng_engine *
cprng_cipher_engine(void)
{
	return ENGINE;
}

size_t
cprng_cipher_batch(size_t len)
{
	const size_t vector_blocks = len < MANY_BYTES ? VECTOR_BLOCKS :
							MANY_BLOCKS;

	return (may_use_vectors() ? vector_blocks : PORTABLE_BLOCKS) * 64;
}

void
cprng_cipher_expand(const uint8_t key[CPRNG_KEY_SIZE], uint8_t *out, size_t len)
{
	struct cprng_keystate ks;
	uint8_t last[64];
	const size_t tail = len % sizeof(last);

	cprng_expand_key(&ks, ENGINE, portable, key);
	run_backend(&ks, ENGINE->rounds, out, len / sizeof(last), 0);
	if (tail != 0) {
		run_backend(&ks, ENGINE->rounds, last, 1, 0);
		memcpy(out + len - tail, last, tail);
		cprng_wipe(last, sizeof(last));
	}
	/*
	 * ChaCha's part; the rest, for AES, was never written.  In halves: for
	 * the whole the kernel's compiler uses "rep", whose start takes longer.
	 */
	cprng_wipe(ks.u.word, sizeof(ks.u.word) / 2);
	cprng_wipe(ks.u.word + 8, sizeof(ks.u.word) / 2);
}

/* ------------------------------------------------------------- self-tests */

bool
cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}

/*
 * No 512-bit vectors: their stack frames are large, and kernels do not save all
 * of these registers.
 */
#define FEATURES \
	(CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_RDRAND | CPRNG_CPU_RDSEED)

static void
panic_if(int failed, const struct cprng_backend *b)
{
	if (failed != 0)
		panic("cprng: self-test %d of %s/%s failed", failed,
		    ENGINE->name, b->name);
}

/* The portable backend is the last one in the table. */
void
cprng_cipher_init(void)
{
	const struct cprng_backend *b = ENGINE->family->backends;

	if (portable != NULL)
		return;
	cprng_cpu_set_ceiling(FEATURES);
	while (b[1].name != NULL)
		b++;
	panic_if(cprng_engine_selftest(ENGINE, b), b);
	portable = b;
}

/*
 * All backends of the engine must pass: they are compiled from one body, so a
 * wrong one makes the others doubtful.
 */
void
cprng_cipher_init_vectors(void)
{
	const struct cprng_backend *b, *best = NULL;
	int failed;

	for (b = ENGINE->family->backends; HAS_SECTIONS && b != portable; b++) {
		if (!cprng_backend_usable(b))
			continue;
		SECTION_BEGIN();
		failed = cprng_engine_selftest(ENGINE, b);
		cprng_clear_vector_registers();
		SECTION_END();
		panic_if(failed, b);
		if (best == NULL)
			best = b;
	}
	vector = best;
}

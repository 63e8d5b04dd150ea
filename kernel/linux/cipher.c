// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The module's cipher, and its backends' self-tests.
 *
 * The freestanding sources call backends in any context, but a vector backend may run only between
 * kernel_fpu_begin() and kernel_fpu_end().  So they get a backend that asks the kernel whether it
 * may use vectors.
 */
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/simd.h>

#include "core/wipe.h"
#include "cpu/cpu.h"
#include "cpu/registers.h"
#include "engine/expand.h"
#include "engine/known_answers.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

enum {
	/* A section disables preemption; the kernel's own ChaCha20 has sections of this length. */
	SECTION_BLOCKS = SZ_4K / 64,
	/* For fewer blocks, saving the registers takes longer than the portable code. */
	VECTOR_MIN_BLOCKS = 4,
};

#define CHACHA20 (&cprng_engines[CPRNG_ENGINE_CHACHA20])

static const struct cprng_backend *portable __ro_after_init, *vector __ro_after_init;
static DEFINE_PER_CPU(unsigned long, sections);

/*
 * The freestanding sources call this after each use of a backend.  It does nothing: cprng_cipher
 * has already cleared its registers, and outside a section the registers belong to a program.
 */
void cprng_clear_registers(void)
{
}

/*
 * Not with interrupts off, even where the kernel allows it, so that the portable code bounds a
 * draw's time.  Not in NMIs, which some kernels' irq_fpu_usable() does not check.
 */
static bool may_use_vectors(void)
{
	return vector && !irqs_disabled() && !in_nmi() && may_use_simd();
}

static void run_backend(struct cprng_keystate *ks, unsigned int rounds, u8 *out, size_t nblocks,
			unsigned int flags)
{
	while (nblocks >= VECTOR_MIN_BLOCKS && may_use_vectors()) {
		const size_t n = min_t(size_t, nblocks, SECTION_BLOCKS);

		kernel_fpu_begin();
		vector->keystream(ks, rounds, out, n, 0);
		cprng_clear_vector_registers();
		kernel_fpu_end();
		this_cpu_inc(sections);
		out += n * 64;
		nblocks -= n;
	}
	portable->keystream(ks, rounds, out, nblocks, 0);
}

static void set_key(struct cprng_keystate *ks, const u8 *key, size_t key_size)
{
	portable->set_key(ks, key, key_size);
}

const struct cprng_backend cprng_cipher = { "kernel", 0, set_key, run_backend };

const struct cprng_engine *cprng_cipher_engine(void)
{
	return CHACHA20;
}

void cprng_cipher_start(struct cprng_keystate *ks, const u8 key[CPRNG_KEY_SIZE])
{
	cprng_expand_key(ks, CHACHA20, &cprng_cipher, key);
}

#ifdef CPRNG_KERNEL_TEST
CPRNG_TUNABLE(wrong_byte, 0);
#endif

void cprng_cipher_expand(const u8 key[CPRNG_KEY_SIZE], u8 *out, size_t len)
{
	struct cprng_keystate ks;
	u8 last[CPRNG_BLOCK_SIZE_MAX];

	cprng_cipher_start(&ks, key);
	cprng_expand(&ks, CHACHA20, &cprng_cipher, out, len, last, 0);
	if (CPRNG_TEST_FAILS(wrong_byte) && len != 0)
		out[0] ^= 1;
	cprng_wipe(last, sizeof(last));
	cprng_wipe(&ks, sizeof(ks));
}

/* ----------------------------------------------------------------------------------- self-tests */

#ifdef CPRNG_KERNEL_TEST
EXPORT_SYMBOL_NS_GPL(cprng_cipher_expand, CPRNG_TEST_NAMESPACE);

/* "chacha20/avx2" makes this backend write a wrong byte.  Only test builds have this parameter. */
static char *spoil;
module_param(spoil, charp, 0400);

static const struct cprng_backend *spoiled_backend;

static void spoiled_keystream(struct cprng_keystate *ks, unsigned int rounds, u8 *out,
			      size_t nblocks, unsigned int flags)
{
	spoiled_backend->keystream(ks, rounds, out, nblocks, flags);
	if (nblocks != 0)
		out[nblocks * 16 - 1] ^= 1;
}

static struct cprng_backend as_tested(const struct cprng_engine *engine,
				      const struct cprng_backend *backend)
{
	struct cprng_backend b = *backend;
	char name[32];

	snprintf(name, sizeof(name), "%s/%s", engine->name, backend->name);
	if (spoil && strcmp(spoil, name) == 0) {
		spoiled_backend = backend;
		b.keystream = spoiled_keystream;
	}
	return b;
}
#else
static struct cprng_backend as_tested(const struct cprng_engine *engine,
				      const struct cprng_backend *backend)
{
	return *backend;
}
#endif

/* The kernel has its own feature bits, which features_of_kernel() reads once at load. */
bool cprng_port_cpuid(u32 leaf, u32 answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}

/* The features that the kernel found and did not disable; CPUID may report more. */
static u32 features_of_kernel(void)
{
	u32 f = 0;

	if (boot_cpu_has(X86_FEATURE_SSSE3))
		f |= CPRNG_CPU_SSSE3;
	if (boot_cpu_has(X86_FEATURE_AVX2) &&
	    cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		f |= CPRNG_CPU_AVX2;
	/*
	 * No 512-bit vectors: their stack frames are large, and on some CPUs they slow down the
	 * code that runs next.
	 */
	if (boot_cpu_has(X86_FEATURE_RDRAND))
		f |= CPRNG_CPU_RDRAND;
	if (boot_cpu_has(X86_FEATURE_RDSEED))
		f |= CPRNG_CPU_RDSEED;
	return f;
}

static bool is_portable(const struct cprng_backend *b)
{
	return strcmp(b->name, "portable") == 0;
}

static int test(const struct cprng_engine *engine, const struct cprng_backend *backend)
{
	const struct cprng_backend tested = as_tested(engine, backend);
	int failed;

	if (is_portable(backend))
		return cprng_engine_selftest(engine, &tested);
	kernel_fpu_begin();
	failed = cprng_engine_selftest(engine, &tested);
	kernel_fpu_end();
	return failed;
}

/*
 * All backends of the engine must pass: they are compiled from one body, so a wrong one makes the
 * others doubtful.
 */
int __init cprng_cipher_init(void)
{
	const struct cprng_backend *b;
	int failed;

	cprng_cpu_set_ceiling(features_of_kernel());
	for (b = CHACHA20->family->backends; b->name; b++) {
		if (!cprng_backend_usable(b))
			continue;
		failed = test(CHACHA20, b);
		if (failed != 0) {
			pr_err("cprng: self-test %d of %s/%s failed, not loading\n", failed,
			       CHACHA20->name, b->name);
			return -ENODEV;
		}
		if (is_portable(b))
			portable = b;
		else if (!vector)
			vector = b;
	}
	return 0;
}

/* A loaded module's backends have all passed. */
void cprng_cipher_show(struct seq_file *m)
{
	const struct cprng_backend *b;
	unsigned long sum = 0;
	unsigned int cpu;

	for (b = CHACHA20->family->backends; b->name; b++)
		seq_printf(m, "%s/%s %s\n", CHACHA20->name, b->name,
			   !cprng_backend_usable(b)     ? "unavailable" :
			   b == portable || b == vector ? "passed used" :
							  "passed");
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(sections, cpu));
	seq_printf(m, "sections in vectors: %lu\n", sum);
}

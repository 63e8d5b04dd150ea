/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code for an instruction set that the rest of the build may not use, without command line flags of its own:
 *
 *	#include "cpu/target.h"
 *	(every other header)
 *	CPRNG_TARGET_BEGIN("avx2,vaes")
 *	(functions)
 *	CPRNG_TARGET_END
 *
 * The string is the compilers' common notation: "avx512f,avx512bw" on x86; on AArch64 AES is "+crypto" (gcc has the
 * intrinsics under that name alone).  No header with functions of general use may be included in between: they would be
 * compiled for that instruction set; the intrinsics of the architecture are included here, ahead of any region.
 */
#ifndef CPRNG_CPU_TARGET_H
#define CPRNG_CPU_TARGET_H

#if defined(__x86_64__)
/* The intrinsics drag in <stdlib.h> for _mm_malloc(); the engines are freestanding: say that it is there already. */
#define _MM_MALLOC_H_INCLUDED /* gcc */
#define __MM_MALLOC_H         /* clang */
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define CPRNG_TARGET_PRAGMA(...) _Pragma(#__VA_ARGS__)

/*
 * Each region also rounds products and sums separately (-ffp-contract=off), or numbers would differ between machines, and has no
 * canaries (CPRNG_NO_CANARY).  CPRNG_BASELINE_BEGIN does that alone, with the build's own instruction set.
 *
 * Clang ignores "GCC target" and "GCC optimize"; gcc knows no "attribute push", and no "STDC FP_CONTRACT".
 */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-pragmas" /* of machines that have no such control */
#pragma float_control(precise, on)
#pragma clang diagnostic pop
#pragma STDC FP_CONTRACT OFF
#define CPRNG_BASELINE_BEGIN \
	CPRNG_TARGET_PRAGMA(clang attribute push(__attribute__((no_stack_protector)), apply_to = function))
#define CPRNG_TARGET_BEGIN(features) \
	CPRNG_BASELINE_BEGIN \
	CPRNG_TARGET_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define CPRNG_BASELINE_END CPRNG_TARGET_PRAGMA(clang attribute pop)
#define CPRNG_TARGET_END CPRNG_BASELINE_END CPRNG_BASELINE_END
#else
#ifdef CPRNG_PORT_HEADER
/* A kernel has no numbers, and flags of its own that "optimize" would take back (frame pointers, aliasing). */
#define CPRNG_BASELINE_BEGIN CPRNG_TARGET_PRAGMA(GCC push_options)
#else
#define CPRNG_BASELINE_BEGIN \
	CPRNG_TARGET_PRAGMA(GCC push_options) CPRNG_TARGET_PRAGMA(GCC optimize("fp-contract=off", "no-stack-protector"))
#endif
#define CPRNG_TARGET_BEGIN(features) CPRNG_BASELINE_BEGIN CPRNG_TARGET_PRAGMA(GCC target(features))
#define CPRNG_BASELINE_END CPRNG_TARGET_PRAGMA(GCC pop_options)
#define CPRNG_TARGET_END CPRNG_BASELINE_END
#endif

#endif

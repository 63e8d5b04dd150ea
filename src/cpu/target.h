/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for an instruction set that the rest of the build may not use, without separate command line flags:
 *
 *	#include "cpu/target.h"
 *	(every other header)
 *	CPRNG_TARGET_BEGIN("avx2,vaes")
 *	(functions)
 *	CPRNG_TARGET_END
 *
 * The string is the notation that gcc and clang share: "avx512f,avx512bw" on x86; on AArch64 AES is "+crypto" (gcc enables the
 * intrinsics only under that name).  A region must not include headers with functions of general use, which would be compiled for
 * that instruction set.  The intrinsics of the architecture are included here, before any region.
 */
#ifndef CPRNG_CPU_TARGET_H
#define CPRNG_CPU_TARGET_H

#if defined(__x86_64__)
/* The intrinsics include <stdlib.h> for _mm_malloc(), but the engines are freestanding: pretend that it is included already. */
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
 * Each region also rounds products and sums separately (-ffp-contract=off), because numbers would otherwise differ between
 * machines, and has no canaries (CPRNG_NO_CANARY).  CPRNG_BASELINE_BEGIN does only this, with the build's own instruction set.
 *
 * Clang ignores "GCC target" and "GCC optimize"; gcc lacks "attribute push" and "STDC FP_CONTRACT".
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
/* A kernel has no floating-point numbers, and "optimize" would reset its own flags (frame pointers, aliasing). */
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

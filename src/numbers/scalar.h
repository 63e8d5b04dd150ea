/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions that every machine has for doubles.  On x86 those are SSE2's (-mfpmath=387 asks for others): the older ones
 * round twice, and keep more digits than a double has.
 */
#include "cpu/target.h"

#if defined(__i386__) && defined(__clang__)
#define CPRNG_N_BEGIN CPRNG_TARGET_BEGIN("sse2")
#define CPRNG_N_END CPRNG_TARGET_END
#elif defined(__i386__) || (defined(__x86_64__) && !defined(__clang__))
#define CPRNG_N_BEGIN CPRNG_TARGET_BEGIN("sse2,fpmath=sse")
#define CPRNG_N_END CPRNG_TARGET_END
#else
#define CPRNG_N_BEGIN CPRNG_BASELINE_BEGIN
#define CPRNG_N_END CPRNG_BASELINE_END
#endif

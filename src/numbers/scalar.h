/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The baseline instructions for doubles.  On x86 this is SSE2, even under -mfpmath=387: x87 instructions keep more digits than
 * a double has, and round twice.
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

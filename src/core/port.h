/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seam between the freestanding core and what it runs on.
 *
 * core/, cpu/, engine/ and fortuna/ include this file and no system header but those of the compiler for its CPU.  A
 * new environment (another kernel, bare metal) supplies what is declared here and nothing else.
 *
 * Where C11's freestanding headers are unavailable, CPRNG_PORT_HEADER names a header that has, instead of them, the
 * types of <stdbool.h>, <stddef.h> and <stdint.h>, UINT32_MAX, UINT64_MAX, INT32_MIN, SIZE_MAX, UINT64_C(), and
 * memcpy(), memset() and memcmp().  It may define CPRNG_SMALL_STACK: functions with frames above 2 KiB are left out;
 * CPRNG_PORT_BUFFER: the bytes of a buffer, its head of 64 included (core/buffer.h); and CPRNG_CHACHA_ALONE: the table of
 * engines ends before Salsa20 and AES, whose sources need not be built.
 */
#ifndef CPRNG_CORE_PORT_H
#define CPRNG_CORE_PORT_H

#ifdef CPRNG_PORT_HEADER
#include CPRNG_PORT_HEADER
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h> /* only memcpy, memset, memcmp: compilers emit calls of them even in freestanding code */
#endif

#define CPRNG_INLINE static inline __attribute__((always_inline))
/* With underscores: "noinline" is a macro in some kernels. */
#define CPRNG_NOINLINE __attribute__((__noinline__))
#define CPRNG_COLD __attribute__((cold, __noinline__))
/* Placed together in the program: the first draw of a forked child faults its code in page by page. */
#define CPRNG_HOT __attribute__((hot))
#define CPRNG_MUST_CHECK __attribute__((warn_unused_result))
#define CPRNG_LIKELY(x) __builtin_expect(!!(x), 1)
#define CPRNG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CPRNG_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Hardware capability words of the operating system (AT_HWCAP, AT_HWCAP2 on Linux), for architectures whose feature
 * registers user code cannot read.  Returns 0 where there is none.  Must be callable from any context.
 */
unsigned long cprng_port_hwcap(unsigned int word);

/*
 * x86-64: EAX, EBX, ECX and EDX of CPUID's leaf 1 or 7, subleaf 0, where the system keeps them; false, and the instruction is
 * executed, where it does not.  In a virtual machine the instruction exits to the hypervisor.  From any context.
 */
bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4]) CPRNG_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif

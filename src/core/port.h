/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between the freestanding core and its environment.
 *
 * core/, cpu/, engine/ and fortuna/ include this file, and no other system header except the compiler's headers for its CPU.  A
 * new environment (another kernel, bare metal) supplies what is declared here and nothing else.
 *
 * Where C11's freestanding headers are unavailable, CPRNG_PORT_HEADER names a header that declares the types of <stdbool.h>,
 * <stddef.h> and <stdint.h>, UINT32_MAX, UINT64_MAX, INT32_MIN, SIZE_MAX, UINT64_C(), and memcpy(), memset() and memcmp().
 * It may define
 *   CPRNG_SMALL_STACK: functions with frames above 2 KiB are left out;
 *   CPRNG_PORT_BUFFER: the size of a buffer in bytes, including its head of 64 (core/buffer.h);
 *   CPRNG_PORT_SETS: 1, for vector backends of half the code and stack (engine/vector/lanes.h);
 *   CPRNG_CHACHA_ALONE: the table of engines ends before Salsa20 and AES, whose sources need not be built.
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

/*
 * All compiler requirements are stated here and in cpu/target.h, so that every optimising build keeps the promises
 * (docs/decisions/0037-one-source.md).
 */
#if defined(__GNUC__) && !defined(__OPTIMIZE__) && !defined(__cplusplus) && !defined(__clang_analyzer__) && \
	!defined(__cppcheck__)
#error "compile cprng with -O1 or more: without optimisation keys are stored on the stack, where nothing erases them"
#endif
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
	(defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile cprng without -ffast-math: numbers must be the same for all compilers"
#endif

/* Never exported, whatever the default visibility, so that no other copy of the library replaces these declarations. */
#ifdef __cplusplus
#define CPRNG_BEGIN_DECLARATIONS extern "C" {
#define CPRNG_END_DECLARATIONS }
#else
#define CPRNG_BEGIN_DECLARATIONS _Pragma("GCC visibility push(hidden)")
#define CPRNG_END_DECLARATIONS _Pragma("GCC visibility pop")
#endif

#ifdef __has_attribute
#define CPRNG_HAS_ATTRIBUTE(name) __has_attribute(name)
#else
#define CPRNG_HAS_ATTRIBUTE(name) 0
#endif

/*
 * No profiler calls (-pg, -finstrument-functions), which save registers with served numbers on the stack, and no profile counters
 * (-fprofile-generate).
 */
#if CPRNG_HAS_ATTRIBUTE(no_profile_instrument_function)
#define CPRNG_NO_PROFILE __attribute__((no_instrument_function, no_profile_instrument_function))
#else
#define CPRNG_NO_PROFILE __attribute__((no_instrument_function))
#endif

/*
 * No canary: it takes 3 % of a draw, and in core/wipe_stack.h it would lie between an array and the remains of earlier frames
 * above it.
 */
#if CPRNG_HAS_ATTRIBUTE(no_stack_protector)
#define CPRNG_NO_CANARY __attribute__((no_stack_protector)) CPRNG_NO_PROFILE
#else
#define CPRNG_NO_CANARY CPRNG_NO_PROFILE
#endif

/*
 * The function clears the registers that it used: one may hold a second copy of the number that it returns.  On Power, MIPS and
 * 68000 gcc 12 can clear only general registers, and reports an error otherwise: there, copies of doubles stay in floating-point
 * registers until the next arithmetic.  clang supports two architectures.
 */
#if !CPRNG_HAS_ATTRIBUTE(zero_call_used_regs)
#define CPRNG_CLEARS CPRNG_NO_CANARY
#elif defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || \
	(!defined(__clang__) && (defined(__s390x__) || defined(__riscv) || defined(__arm__)))
#define CPRNG_CLEARS __attribute__((zero_call_used_regs("used"))) CPRNG_NO_CANARY
#elif !defined(__clang__) && (defined(__powerpc__) || defined(__mips__) || defined(__m68k__))
#define CPRNG_CLEARS __attribute__((zero_call_used_regs("used-gpr"))) CPRNG_NO_CANARY
#else
#define CPRNG_CLEARS CPRNG_NO_CANARY
#endif

#define CPRNG_INLINE static inline __attribute__((always_inline, unused)) CPRNG_NO_PROFILE
/* With underscores: "noinline" is a macro in some kernels. */
#define CPRNG_NOINLINE __attribute__((__noinline__))
/*
 * No interprocedural optimisation sees into the function, which changes registers that its callers' instruction set lacks.  Such
 * callers, in the same file or by link-time optimisation, must rely only on what the ABI preserves.
 */
#if CPRNG_HAS_ATTRIBUTE(noipa)
#define CPRNG_OPAQUE __attribute__((noipa))
#else
#define CPRNG_OPAQUE CPRNG_NOINLINE
#endif
#define CPRNG_COLD __attribute__((cold, __noinline__))
/* Placed together in the program, because the first draw of a forked child faults its code in page by page. */
#define CPRNG_HOT __attribute__((hot, aligned(64))) CPRNG_NO_CANARY
#define CPRNG_MUST_CHECK __attribute__((warn_unused_result))
#define CPRNG_LIKELY(x) __builtin_expect(!!(x), 1)
#define CPRNG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CPRNG_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * A word of 64 bits for atomic loads and stores.  i386 would align it to 4 bytes in structures: clang would then call libatomic,
 * and the word could straddle two cache lines.
 */
typedef uint64_t cprng_atomic64 __attribute__((aligned(8)));

CPRNG_BEGIN_DECLARATIONS

/*
 * Return a hardware capability word of the operating system (AT_HWCAP, AT_HWCAP2 on Linux), for architectures whose feature
 * registers user code cannot read; 0 if there is none.  Must be callable from any context.
 */
unsigned long cprng_port_hwcap(unsigned int word);

/*
 * x86-64: get EAX, EBX, ECX and EDX of CPUID's leaf 1 or 7, subleaf 0, if the system keeps them.  Return false if it does not: the
 * caller then executes CPUID, which in a virtual machine exits to the hypervisor.  Callable from any context.
 */
bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4]) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS

#endif

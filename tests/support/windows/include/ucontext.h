/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on another stack, for own_stack.hpp: swapcontext() returns when the function has returned. */
#ifndef CPRNG_TESTS_WINDOWS_UCONTEXT_H
#define CPRNG_TESTS_WINDOWS_UCONTEXT_H

#include <stddef.h>

typedef struct ucontext {
	struct {
		void *ss_sp;
		size_t ss_size;
	} uc_stack;
	struct ucontext *uc_link;
	void (*function)(void);
} ucontext_t;

static inline int getcontext(ucontext_t *)
{
	return 0;
}

static inline void makecontext(ucontext_t *inside, void (*function)(void), int)
{
	inside->function = function;
}

/*
 * The stack pointer is as before a call: a multiple of 16, with room for four arguments above it.  Windows still knows only the
 * bounds of the thread's own stack, so no exception may be raised here.
 */
static inline int swapcontext(ucontext_t *, ucontext_t *inside)
{
#ifdef __x86_64__
	const size_t top = ((size_t)inside->uc_stack.ss_sp + inside->uc_stack.ss_size) / 64 * 64 - 64;

	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 :
			 : [top] "r"(top), [function] "r"(inside->function)
			 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",
			   "xmm3", "xmm4", "xmm5");
	return 0;
#else
	(void)inside;
	return -1;
#endif
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fpu_kern_enter() and fpu_kern_leave() of NetBSD 10 for a rump kernel: raise the level, save the registers of the thread, and
 * zero the registers at both ends.  Only clts and the store to CR0 are missing, which a program cannot execute.
 *
 * NetBSD saves the registers only in the first section after a return to the program; each section here saves them.
 */
#include <sys/param.h>
#include <sys/cpu.h>
#include <sys/intr.h>
#include <sys/systm.h>

enum { CPUS = 64, X87_SSE_AVX = 7, AREA = 1024 / sizeof(uint32_t) };

static struct {
	uint32_t saved[AREA] __aligned(64);
	bool is_open;
	int level;
} sections[CPUS];

/* Initial values of all registers; MXCSR masks all exceptions. */
static const uint32_t initial[AREA] __aligned(64) = { [6] = 0x1f80 };

static void zero_registers(void)
{
	__asm__ volatile("xrstor64 %0" : : "m"(initial), "a"(X87_SSE_AVX), "d"(0) : "memory");
}

void fpu_kern_enter(void)
{
	const int level = splvm();
	const u_int i = cpu_index(curcpu());

	if (sections[i].is_open)
		panic("a section inside of another");
	sections[i].is_open = true;
	sections[i].level = level;
	__asm__ volatile("xsave64 %0" : "+m"(sections[i].saved) : "a"(X87_SSE_AVX), "d"(0) : "memory");
	zero_registers();
}

void fpu_kern_leave(void)
{
	const u_int i = cpu_index(curcpu());

	zero_registers();
	sections[i].is_open = false;
	splx(sections[i].level);
}

int fpu_is_allowed(void)
{
	return !sections[cpu_index(curcpu())].is_open;
}

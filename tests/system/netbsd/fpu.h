/* SPDX-License-Identifier: BSD-2-Clause */
/* From x86/fpu.h in NetBSD 10, for a kernel whose header lacks them; fpu.c defines all three. */
void fpu_kern_enter(void);
void fpu_kern_leave(void);

/* Replaces members of cpu_info that the older kernel lacks (cipher.c). */
int fpu_is_allowed(void);
#define IS_ALLOWED() (fpu_is_allowed() != 0)

/* SPDX-License-Identifier: BSD-2-Clause */
/* Of x86/fpu.h in NetBSD 10, for a kernel whose own does not have them; steps.c defines all three. */
void fpu_kern_enter(void);
void fpu_kern_leave(void);

/* In place of members of cpu_info that the older kernel lacks (cipher.c). */
int fpu_is_allowed(void);
#define IS_ALLOWED() (fpu_is_allowed() != 0)

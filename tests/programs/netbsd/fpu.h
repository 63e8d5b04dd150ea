/* SPDX-License-Identifier: BSD-2-Clause */
/* Of x86/fpu.h in NetBSD 10, for a kernel whose own does not have them; steps.c defines both. */
void fpu_kern_enter(void);
void fpu_kern_leave(void);

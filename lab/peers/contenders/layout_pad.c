/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LAB_PAD bytes before a program's code: linkers put this section before .text, and the first object's first.
 * Functions are aligned to 16 bytes, so a pad that is a multiple of 16 moves each of them by as much.
 */
__asm__(".pushsection .text.unlikely,\"ax\",%progbits\n\t"
	".balign 16\n\t"
	".skip " LAB_PAD "\n\t"
	".popsection");

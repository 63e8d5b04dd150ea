/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LAB_PAD bytes in front of all code of a program: linkers put this section before .text, and the first object's first.
 * Functions are aligned to 16 bytes, so that a pad of a multiple of 16 moves each of them by as much.
 */
__asm__(".pushsection .text.unlikely,\"ax\",%progbits\n\t"
	".balign 16\n\t"
	".skip " LAB_PAD "\n\t"
	".popsection");

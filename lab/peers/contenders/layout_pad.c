/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LAB_PAD bytes before a program's code: linkers put this section before .text, and begin with the first object's part.
 * Functions are aligned to 16 bytes, so a pad that is a multiple of 16 moves every function by exactly its size.
 */
__asm__(".pushsection .text.unlikely,\"ax\",%progbits\n\t"
	".balign 16\n\t"
	".skip " LAB_PAD "\n\t"
	".popsection");

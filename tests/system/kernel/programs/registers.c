/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers FILE COUNT: a program's vector registers keep their values across reads for which the kernel may use
 * vectors, and while interrupts draw.  Exit status 1 if they do not.
 */
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EACH(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)

static uint8_t before[16][32] __attribute__((aligned(32))), after[16][32] __attribute__((aligned(32)));
static uint8_t buffer[16384];

/* The system call between the load and store of all registers, as one asm statement that the compiler cannot split. */
__attribute__((target("avx2"))) static long read_between(int fd)
{
	register long number __asm__("rax") = SYS_read;

#define LOAD(n) "vmovdqa " #n "*32(%[before]), %%ymm" #n "\n\t"
#define STORE(n) "vmovdqa %%ymm" #n ", " #n "*32(%[after])\n\t"
	__asm__ volatile(EACH(LOAD) "syscall\n\t" EACH(STORE)
			 : "+r"(number)
			 : "D"((long)fd), "S"(buffer), "d"(sizeof(buffer)), [before] "r"(before), [after] "r"(after)
			 : "rcx", "r11", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	return number;
}

int main(int argc, char **argv)
{
	const int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	const long count = argc == 3 ? atol(argv[2]) : 0;

	if (fd < 0) {
		perror("registers FILE COUNT");
		return 2;
	}
	for (size_t i = 0; i < sizeof(before); i++)
		before[i / 32][i % 32] = (uint8_t)(i * 7 + 1);
	for (long i = 0; i < count; i++) {
		if (read_between(fd) != (long)sizeof(buffer)) {
			fputs("a read was short\n", stderr);
			return 2;
		}
		if (memcmp(before, after, sizeof(before)) != 0) {
			fprintf(stderr, "registers changed in read %ld\n", i);
			return 1;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include_next <sys/auxv.h>
#ifndef CPRNG_TESTS_BSD_AUXV_H
#define CPRNG_TESTS_BSD_AUXV_H

#define AT_FXRNG 33

/* elf_aux_info(3). */
int elf_aux_info(int which, void *buf, int len);
#endif

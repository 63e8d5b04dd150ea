/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before everything else: compiles a source as for NetBSD 10. */
#include <sys/param.h>

#undef __NetBSD_Version__
#define __NetBSD_Version__ 1000000000

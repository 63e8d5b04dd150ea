/* SPDX-License-Identifier: BSD-2-Clause */
/* Before all else in a source: it is compiled as for NetBSD 10. */
#include <sys/param.h>

#undef __NetBSD_Version__
#define __NetBSD_Version__ 1000000000

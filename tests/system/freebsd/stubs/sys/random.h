/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's header: the parts that kernel/freebsd/ uses. */
#if __FreeBSD_version < 1300000
enum { RANDOM_CACHED, RANDOM_PURE_RDRAND = 17 };
#else
enum { RANDOM_CACHED, RANDOM_PURE_RDRAND = 17, RANDOM_PURE_VMGENID = 25 };
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's header: the parts that kernel/freebsd/ uses. */
enum { RANDOM_CACHED, RANDOM_PURE_VMGENID = 23 };

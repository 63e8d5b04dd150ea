/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of FreeBSD's: what kernel/freebsd/ uses of it. */
enum { RANDOM_CACHED, RANDOM_PURE_VMGENID = 23 };

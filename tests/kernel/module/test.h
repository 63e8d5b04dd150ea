/* SPDX-License-Identifier: BSD-2-Clause */
/* cprng_test.ko: tries the module's functions from inside; its files are in /sys/kernel/debug/cprng_test. */
#ifndef CPRNG_TESTS_KERNEL_MODULE_TEST_H
#define CPRNG_TESTS_KERNEL_MODULE_TEST_H

struct dentry;

int cprng_race_init(struct dentry *directory);
void cprng_race_exit(void);
void cprng_contexts_init(struct dentry *directory);
void cprng_wrong_init(struct dentry *directory);

#endif

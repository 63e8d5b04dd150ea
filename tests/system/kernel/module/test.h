/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* cprng_test.ko tests the module's functions from inside; its files are in /sys/kernel/debug/cprng_test. */
#ifndef CPRNG_TESTS_KERNEL_MODULE_TEST_H
#define CPRNG_TESTS_KERNEL_MODULE_TEST_H

#include <linux/types.h>

struct dentry;
struct seq_file;

int cprng_race_init(struct dentry *directory);
void cprng_race_exit(void);
void cprng_contexts_init(struct dentry *directory);
void cprng_nested_init(struct dentry *directory);
void cprng_life_init(struct dentry *directory);
void cprng_residue_init(struct dentry *directory);
void cprng_wrong_init(struct dentry *directory);

/* A file whose read runs the function and returns its findings; one of all at a time. */
void cprng_test_file(struct dentry *directory, const char *name, void (*show)(struct seq_file *m));

#endif

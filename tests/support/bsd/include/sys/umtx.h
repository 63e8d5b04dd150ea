/* SPDX-License-Identifier: BSD-2-Clause */
#define UMTX_OP_WAIT_UINT_PRIVATE 15
#define UMTX_OP_WAKE_PRIVATE 16

/* _umtx_op(2). */
int _umtx_op(void *word, int op, unsigned long value, void *, void *);

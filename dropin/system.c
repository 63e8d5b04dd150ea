/* SPDX-License-Identifier: BSD-2-Clause */
/* Linked into each drop-in in place of src/process/foreign.c. */
#include <stdbool.h>

/* src/process/state.h */
extern const bool cprng_in_foreign_program;
const bool cprng_in_foreign_program = true;

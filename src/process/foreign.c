/* SPDX-License-Identifier: BSD-2-Clause */
/* In a file of its own, so that the linker does not take it from the static library where a drop-in defines another value. */
#include "process/state.h"

const bool cprng_in_foreign_program = false;

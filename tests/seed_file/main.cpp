// SPDX-License-Identifier: BSD-2-Clause
// seed-file [options of doctest]
//
// Tests of cprng_seed_file() from below: its system calls fail, and others come between them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "doctest/doctest.h"

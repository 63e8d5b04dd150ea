// SPDX-License-Identifier: BSD-2-Clause
// The other half of doctest, compiled once for all programs of tests.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"

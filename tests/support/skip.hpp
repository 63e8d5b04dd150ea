// SPDX-License-Identifier: BSD-2-Clause
// A test that makes no sense here says so instead of passing in silence.
#ifndef CPRNG_TESTS_SKIP_HPP
#define CPRNG_TESTS_SKIP_HPP

#include "doctest/doctest.h"

#include <string>

#define SKIP_IF(condition, why) \
	do { \
		if (condition) { \
			MESSAGE("skipped: " << std::string(why)); \
			return; \
		} \
	} while (0)

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each test program, ahead of every file: the headers that most files include and that cost most.
#ifndef CPRNG_TESTS_PRECOMPILED_HPP
#define CPRNG_TESTS_PRECOMPILED_HPP

#include "doctest/doctest.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#endif

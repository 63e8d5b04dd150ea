// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each program of tests, ahead of every file: what most of them include themselves, and costs most.
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

// SPDX-License-Identifier: BSD-2-Clause
// The library's insides, for C++.
#ifndef CPRNG_TESTS_INTERNALS_HPP
#define CPRNG_TESTS_INTERNALS_HPP

// Before the block below, so that none of their contents falls into it.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cprng/cprng.h"
#include "engine/engine.h"
#include "linux/sys.h"

#define _Static_assert static_assert
extern "C" {
#include "core/buffer.h"
#include "linux/entropy.h"
#include "linux/machine.h"
#include "linux/placement.h"
#include "linux/process.h"
#include "linux/serve.h"
#include "linux/strong.h"
}
#undef _Static_assert

#endif

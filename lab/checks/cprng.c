// SPDX-License-Identifier: BSD-2-Clause
#include <cprng/cprng.h>

#include "check.h"

CHECK(cprng_fast32(), cprng_fast(buffer, sizeof(buffer)))

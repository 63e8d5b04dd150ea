// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

CHECK(arc4random(), arc4random_buf(buffer, sizeof(buffer)))

// SPDX-License-Identifier: BSD-2-Clause
#include <randp.h>

#include "check.h"

CHECK(randp_u32(), randp_bytes(buffer, sizeof(buffer)))

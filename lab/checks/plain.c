// SPDX-License-Identifier: BSD-2-Clause
// -DHEADER=<...> -DNUMBER=... -DFILL=...: a generator's own functions, for 32 bits and into `buffer`.
#include HEADER

#include "check.h"

CHECK(NUMBER, FILL)

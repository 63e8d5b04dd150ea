/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of cpu/ that each architecture supplies, in detect_<architecture>.c. */
#ifndef CPRNG_CPU_DETECT_H
#define CPRNG_CPU_DETECT_H

#include "core/port.h"

uint32_t cprng_cpu_detect(void);

#endif

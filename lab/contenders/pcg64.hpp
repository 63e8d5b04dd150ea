// SPDX-License-Identifier: BSD-2-Clause
// PCG64 from its authors' header library (https://www.pcg-random.org/), which causes compiler warnings.
#ifndef CPRNG_LAB_CONTENDERS_PCG64_HPP
#define CPRNG_LAB_CONTENDERS_PCG64_HPP

#ifdef LAB_PCG
#include <pcg_random.hpp>
#endif

#endif

// SPDX-License-Identifier: BSD-2-Clause
// PCG64, of its authors' header library (https://www.pcg-random.org/), which is not free of warnings.
#ifndef CPRNG_LAB_CONTENDERS_PCG64_HPP
#define CPRNG_LAB_CONTENDERS_PCG64_HPP

#ifdef LAB_PCG
#include <pcg_random.hpp>
#endif

#endif

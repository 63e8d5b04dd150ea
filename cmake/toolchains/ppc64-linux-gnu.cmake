# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR ppc64)
set(CPRNG_CROSS_PREFIX powerpc64)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

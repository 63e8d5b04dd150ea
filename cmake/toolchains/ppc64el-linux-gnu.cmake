# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(CPRNG_CROSS_PREFIX powerpc64le)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

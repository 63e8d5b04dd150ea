# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR mips64el)
set(CPRNG_CROSS_SYSTEM linux-gnuabi64)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

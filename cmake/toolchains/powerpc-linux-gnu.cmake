# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR powerpc)
set(CPRNG_QEMU_PROCESSOR ppc)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

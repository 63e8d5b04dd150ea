# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CPRNG_QEMU_PROCESSOR i386)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_SYSTEM_PROCESSOR mips)
include(${CMAKE_CURRENT_LIST_DIR}/linux-cross.cmake)

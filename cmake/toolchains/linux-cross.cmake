# SPDX-License-Identifier: BSD-2-Clause
#
# Cross build for Linux on CMAKE_SYSTEM_PROCESSOR with the distribution's compilers; programs run under qemu.
# CPRNG_CROSS_PREFIX: the compilers' name for the architecture, if it differs; CPRNG_CROSS_SYSTEM: for system and ABI.

set(CMAKE_SYSTEM_NAME Linux)
if(NOT CPRNG_CROSS_PREFIX)
	set(CPRNG_CROSS_PREFIX ${CMAKE_SYSTEM_PROCESSOR})
endif()
if(NOT CPRNG_CROSS_SYSTEM)
	set(CPRNG_CROSS_SYSTEM linux-gnu)
endif()
set(CMAKE_C_COMPILER ${CPRNG_CROSS_PREFIX}-${CPRNG_CROSS_SYSTEM}-gcc)
set(CMAKE_CXX_COMPILER ${CPRNG_CROSS_PREFIX}-${CPRNG_CROSS_SYSTEM}-g++)
# Static programs run without the target's C library.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

# The names before and after qemu-user became entirely static.
if(NOT CPRNG_QEMU_PROCESSOR)
	set(CPRNG_QEMU_PROCESSOR ${CMAKE_SYSTEM_PROCESSOR})
endif()
find_program(CPRNG_QEMU NAMES qemu-${CPRNG_QEMU_PROCESSOR}-static qemu-${CPRNG_QEMU_PROCESSOR} REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CPRNG_QEMU})

set(CMAKE_FIND_ROOT_PATH /usr/${CPRNG_CROSS_PREFIX}-${CPRNG_CROSS_SYSTEM})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

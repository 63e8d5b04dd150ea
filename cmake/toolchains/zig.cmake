# SPDX-License-Identifier: BSD-2-Clause
#
# Any system that zig can compile for: CPRNG_ZIG is the program, CPRNG_ZIG_TARGET its name of the target.

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CPRNG_ZIG CPRNG_ZIG_TARGET)
string(REGEX MATCH "^([^-]*)-([^-.]*)" names "${CPRNG_ZIG_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(systems_linux Linux)
set(systems_freebsd FreeBSD)
set(systems_netbsd NetBSD)
set(systems_openbsd OpenBSD)
set(systems_macos Darwin)
set(systems_wasi WASI)
set(systems_windows Windows)
set(CMAKE_SYSTEM_NAME ${systems_${CMAKE_MATCH_2}})
set(CMAKE_C_COMPILER ${CPRNG_ZIG} cc -target ${CPRNG_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${CPRNG_ZIG} c++ -target ${CPRNG_ZIG_TARGET})
# The host's ar knows the host's objects alone.
set(CMAKE_C_ARCHIVE_CREATE "${CPRNG_ZIG} ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "${CPRNG_ZIG} ranlib <TARGET>")
set(CMAKE_INSTALL_NAME_TOOL false) # nothing is installed

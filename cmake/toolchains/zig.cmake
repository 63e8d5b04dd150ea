# SPDX-License-Identifier: BSD-2-Clause
#
# Linux with an older C library, by zig: CPRNG_ZIG is the program, CPRNG_ZIG_TARGET its name of the target.

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CPRNG_ZIG CPRNG_ZIG_TARGET)
string(REGEX MATCH "^[^-]*" CMAKE_SYSTEM_PROCESSOR "${CPRNG_ZIG_TARGET}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CPRNG_ZIG} cc -target ${CPRNG_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${CPRNG_ZIG} c++ -target ${CPRNG_ZIG_TARGET})
# The host's ar knows the host's objects alone.
set(CMAKE_C_ARCHIVE_CREATE "${CPRNG_ZIG} ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "${CPRNG_ZIG} ranlib <TARGET>")
set(CMAKE_INSTALL_NAME_TOOL false) # nothing is installed

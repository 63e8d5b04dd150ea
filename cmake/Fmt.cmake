# SPDX-License-Identifier: BSD-2-Clause
#
# Two targets for {fmt}: cprng_fmt is header-only, for installed programs and other architectures, which need no library at run
# time; cprng_fmt_linked is the shared library, for measurements and tests, which compile in half the time with it.

include_guard(GLOBAL)

cprng_header_library(fmt fmt/format.h libfmt-dev)
target_compile_definitions(cprng_fmt INTERFACE FMT_HEADER_ONLY)

find_library(CPRNG_FMT fmt)
mark_as_advanced(CPRNG_FMT)
add_library(cprng_fmt_linked INTERFACE)
if(CPRNG_FMT AND NOT CMAKE_CROSSCOMPILING)
	target_include_directories(cprng_fmt_linked SYSTEM INTERFACE ${CPRNG_fmt_DIR})
	target_link_libraries(cprng_fmt_linked INTERFACE ${CPRNG_FMT})
else()
	target_link_libraries(cprng_fmt_linked INTERFACE cprng_fmt)
endif()

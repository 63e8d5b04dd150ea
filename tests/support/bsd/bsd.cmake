# SPDX-License-Identifier: BSD-2-Clause
#
# src/os/bsd on Linux, over shims that implement the calls of FreeBSD (CPRNG_OS=bsd) or macOS by Linux's, as the manual pages
# describe them.
target_compile_definitions(cprng_build_flags INTERFACE CPRNG_POSIX CPRNG_BSD
	$<$<STREQUAL:${CPRNG_OS},macos>:CPRNG_BSD_MACOS> _GNU_SOURCE)
include_directories(BEFORE ${PROJECT_SOURCE_DIR}/tests/support/bsd/include)
list(APPEND CPRNG_HOSTED_SOURCES tests/support/bsd/calls.c)

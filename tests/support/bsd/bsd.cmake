# SPDX-License-Identifier: BSD-2-Clause
#
# src/os/bsd on Linux: with FreeBSD's calls as its manual pages describe them, made of Linux's.
target_compile_definitions(cprng_build_flags INTERFACE CPRNG_POSIX CPRNG_BSD)
include_directories(BEFORE ${PROJECT_SOURCE_DIR}/tests/support/bsd/include)
list(APPEND CPRNG_HOSTED_SOURCES tests/support/bsd/calls.c)

# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -D SOURCE=directory -D HEADER=file -P commit.cmake: write the commit being built, if it changed.  The suffix
# "-dirty" marks changes to tracked files.

cmake_minimum_required(VERSION 3.22)
find_program(git git)
set(commit "")
if(git)
	execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12
		OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(commit STREQUAL "")
	set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define LAB_COMMIT \"@commit@\"\n" @ONLY)

# SPDX-License-Identifier: BSD-2-Clause
#
# arc4random of a newer C library: this program, run by that library's loader.  The files lie in newer-libc/ beside
# cprng-lab; tools/newer-libc downloads Debian's once, if the lab may download.

set(lab_newer_libc ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/newer-libc)
if(CPRNG_LAB_DOWNLOAD AND NOT EXISTS ${lab_newer_libc}/version)
	execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/newer-libc ${lab_newer_libc} TIMEOUT 600
		RESULT_VARIABLE lab_newer_libc_failed OUTPUT_QUIET ERROR_VARIABLE lab_newer_libc_error)
	if(NOT lab_newer_libc_failed EQUAL 0)
		message(STATUS "The lab does without a newer C library: ${lab_newer_libc_failed} ${lab_newer_libc_error}")
	endif()
endif()

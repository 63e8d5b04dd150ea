# SPDX-License-Identifier: BSD-2-Clause
#
# cprng_header_library(NAME HEADER PACKAGE): the target cprng_NAME for a header-only library, found by HEADER
# ("dir/file.h"), which the distribution's PACKAGE contains.
#
# Such headers serve every architecture, but in a cross build their directory, /usr/include, would shadow the target's C
# library. There, a directory of links to only these headers is used.

function(cprng_header_library name header package)
	if(TARGET cprng_${name})
		return()
	endif()
	if(CMAKE_CROSSCOMPILING)
		find_path(CPRNG_${name}_DIR ${header} PATHS /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
	else()
		find_path(CPRNG_${name}_DIR ${header})
	endif()
	mark_as_advanced(CPRNG_${name}_DIR)
	if(NOT CPRNG_${name}_DIR)
		message(FATAL_ERROR "<${header}> is missing: install ${package}, or run tools/setup build")
	endif()

	set(dir ${CPRNG_${name}_DIR})
	if(CMAKE_CROSSCOMPILING)
		set(dir ${PROJECT_BINARY_DIR}/header-only)
		file(MAKE_DIRECTORY ${dir})
		get_filename_component(top ${header} DIRECTORY)
		file(CREATE_LINK ${CPRNG_${name}_DIR}/${top} ${dir}/${top} SYMBOLIC)
	endif()
	add_library(cprng_${name} INTERFACE)
	target_include_directories(cprng_${name} SYSTEM INTERFACE ${dir})
endfunction()

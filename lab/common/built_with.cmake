# SPDX-License-Identifier: BSD-2-Clause
#
# Build information that runs keep: the commit at each build; compilers, flags and versions from CMake's run.

set(lab_made ${CMAKE_CURRENT_BINARY_DIR}/made)
add_custom_target(cprng_lab_commit
	COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D HEADER=${lab_made}/lab_commit.h
		-P ${CMAKE_CURRENT_LIST_DIR}/commit.cmake
	BYPRODUCTS ${lab_made}/lab_commit.h
	VERBATIM
)

string(TOUPPER "${CMAKE_BUILD_TYPE}" lab_type)
# The library also has the erasing options (CMakeLists.txt).
string(JOIN " " lab_c_flags ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${lab_type}} ${erasing_options})
string(JOIN " " lab_cxx_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${lab_type}})

# PCG's header has no version, but its package does.
set(lab_pcg_version "")
find_program(CPRNG_DPKG_QUERY dpkg-query)
mark_as_advanced(CPRNG_DPKG_QUERY)
if(CPRNG_DPKG_QUERY AND CPRNG_PCG_DIR)
	execute_process(COMMAND ${CPRNG_DPKG_QUERY} -W -f \${Version} libpcg-cpp-dev
		OUTPUT_VARIABLE lab_pcg_version ERROR_QUIET)
endif()

# Name and version of each linked crate, separated by commas.
set(lab_rustc_version "")
set(lab_rust_crates "")
find_program(CPRNG_RUSTC rustc PATHS $ENV{HOME}/.cargo/bin)
mark_as_advanced(CPRNG_RUSTC)
if(CPRNG_RUSTC)
	execute_process(COMMAND ${CPRNG_RUSTC} --version OUTPUT_VARIABLE lab_rustc_version ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB lab_locks CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/peers/contenders/rust*/Cargo.lock)
foreach(lock IN LISTS lab_locks)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock})
	file(STRINGS ${lock} lines REGEX "^(name|version) = ")
	set(name "")
	foreach(line IN LISTS lines)
		string(REGEX REPLACE "^[a-z]+ = \"(.*)\"$" "\\1" value "${line}")
		if(line MATCHES "^name")
			set(name "${value}")
		elseif(NOT name STREQUAL "" AND NOT name MATCHES "^cprng-lab")
			string(APPEND lab_rust_crates "${name} ${value},")
			set(name "")
		endif()
	endforeach()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/built_with.hpp.in ${lab_made}/lab_built_with.hpp @ONLY)

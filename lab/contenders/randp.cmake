# SPDX-License-Identifier: BSD-2-Clause
#
# randp itself, if installed.  The lab does not build it: it needs make and a C23 compiler (https://github.com/planet36/randp).

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
	pkg_check_modules(CPRNG_RANDP QUIET IMPORTED_TARGET randp)
endif()
if(CPRNG_RANDP_FOUND)
	target_compile_definitions(lab_contenders INTERFACE "LAB_RANDP=\"randp ${CPRNG_RANDP_VERSION}\"")
	target_link_libraries(lab_contenders INTERFACE PkgConfig::CPRNG_RANDP)
endif()

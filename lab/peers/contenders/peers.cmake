# SPDX-License-Identifier: BSD-2-Clause
#
# Generators that Debian has no package of, compiled from sources in folders that the caller names:
#
#     -DCPRNG_LAB_LIBAEGIS=DIR    https://github.com/aegis-aead/libaegis
#     -DCPRNG_LAB_SHISHUA=DIR     https://github.com/espadrine/shishua

set(CPRNG_LAB_LIBAEGIS "" CACHE PATH "Sources of libaegis, for the lab's rows aegis128x4 and aegis256x4")
set(CPRNG_LAB_SHISHUA "" CACHE PATH "Sources of shishua, for the lab's row of that name")
if(EXISTS ${CPRNG_LAB_LIBAEGIS}/src/include/aegis.h)
	file(GLOB lab_aegis_sources ${CPRNG_LAB_LIBAEGIS}/src/aegis*/*.c ${CPRNG_LAB_LIBAEGIS}/src/common/*.c
		${CPRNG_LAB_LIBAEGIS}/src/raf/*.c)
	file(STRINGS ${CPRNG_LAB_LIBAEGIS}/CMakeLists.txt lab_aegis_version REGEX "project\\(.*VERSION")
	string(REGEX REPLACE ".*VERSION ([0-9.]+).*" "\\1" lab_aegis_version "${lab_aegis_version}")
	add_library(lab_aegis STATIC ${lab_aegis_sources})
	target_include_directories(lab_aegis SYSTEM PUBLIC ${CPRNG_LAB_LIBAEGIS}/src/include)
	target_compile_options(lab_aegis PRIVATE -std=gnu99 -O3 -w)
	target_compile_definitions(lab_contenders INTERFACE "LAB_AEGIS=\"libaegis ${lab_aegis_version}\"")
	target_link_libraries(lab_contenders INTERFACE lab_aegis)
endif()
# Its vectors are chosen by the compiler's options, which no other file may have: the CPU may lack AVX2.
if(EXISTS ${CPRNG_LAB_SHISHUA}/shishua.h AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
	add_library(lab_shishua STATIC)
	target_include_directories(lab_shishua SYSTEM PRIVATE ${CPRNG_LAB_SHISHUA})
	target_compile_options(lab_shishua PRIVATE -std=gnu11 -O3 -mavx2)
	target_compile_definitions(lab_contenders INTERFACE LAB_SHISHUA)
	target_link_libraries(lab_contenders INTERFACE lab_shishua)
endif()

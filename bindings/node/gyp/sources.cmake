# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -DROOT=... -DOUTPUT=... -P sources.cmake: write the lists of src/sources.cmake for gyp, by system and architecture.
set(text "# SPDX-License-Identifier: BSD-2-Clause\n# Made of src/sources.cmake by gyp/sources.cmake.\n{\n  \"variables\": {\n")

function(add system architecture)
	set(CPRNG_OS ${system})
	set(CMAKE_SYSTEM_PROCESSOR ${architecture})
	include(${ROOT}/src/sources.cmake)
	list(TRANSFORM CPRNG_FREESTANDING_SOURCES REPLACE "(.+)" "      \"c/\\1\",\n" OUTPUT_VARIABLE freestanding)
	list(TRANSFORM CPRNG_HOSTED_SOURCES REPLACE "(.+)" "      \"c/\\1\",\n" OUTPUT_VARIABLE hosted)
	list(TRANSFORM CPRNG_API_SOURCES REPLACE "(.+)" "      \"c/\\1\",\n" OUTPUT_VARIABLE api)
	list(JOIN freestanding "" freestanding)
	list(JOIN hosted "" hosted)
	list(JOIN api "" api)
	set(text "${text}    \"cprng_${system}_${architecture}\": [\n${freestanding}${hosted}${api}    ],\n" PARENT_SCOPE)
endfunction()

foreach(system IN ITEMS linux posix)
	foreach(architecture IN ITEMS x86_64 aarch64 generic)
		add(${system} ${architecture})
	endforeach()
endforeach()
file(WRITE ${OUTPUT} "${text}  },\n}\n")

# SPDX-License-Identifier: BSD-2-Clause
#
# Go's generators: a program that measures itself, built if a Go with crypto/rand.Text exists.  Downloads nothing.
# lab_go_absent is the reason if there is none, else empty.

set(lab_go_absent "go was not found when the lab was built")
set(lab_go_version "")
find_program(CPRNG_GO go PATHS /usr/local/go/bin)
mark_as_advanced(CPRNG_GO)
if(CPRNG_GO)
	execute_process(COMMAND ${CPRNG_GO} env GOVERSION OUTPUT_VARIABLE lab_go_version ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" lab_go_version "${lab_go_version}")
	if(lab_go_version VERSION_LESS 1.24)
		set(lab_go_absent "go ${lab_go_version} is older than 1.24")
	else()
		set(lab_go_absent "")
	endif()
endif()

if(lab_go_absent STREQUAL "")
	set(lab_go_program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cprng-lab-go)
	set(lab_go_source ${CMAKE_CURRENT_LIST_DIR}/go)
	add_custom_command(OUTPUT ${lab_go_program}
		COMMAND ${CMAKE_COMMAND} -E env GOTOOLCHAIN=local GOPROXY=off GOFLAGS= GOWORK=off CGO_ENABLED=0
			GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go-cache
			${CPRNG_GO} build -trimpath -o ${lab_go_program} .
		WORKING_DIRECTORY ${lab_go_source}
		DEPENDS ${lab_go_source}/choices.go ${lab_go_source}/main.go ${lab_go_source}/go.mod
		COMMENT "Building cprng-lab-go"
		VERBATIM
	)
	add_custom_target(cprng_lab_go DEPENDS ${lab_go_program})
endif()

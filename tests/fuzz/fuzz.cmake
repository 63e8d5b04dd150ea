# SPDX-License-Identifier: BSD-2-Clause
#
# The replay of inputs kept by `make check-fuzz` (docs/testing.md), or, in the preset with libFuzzer, the program that searches.
# Included by tests/CMakeLists.txt.
if(CMAKE_CROSSCOMPILING)
	return() # the vectors are tested there, in less time
endif()
set(fuzz_model fuzz/ciphers.cpp fuzz/model.cpp)
set(fuzz fuzz/backends.cpp fuzz/choices.cpp fuzz/fortunas.cpp fuzz/streams.cpp ${fuzz_model})
if(CPRNG_COMMAND)
	list(APPEND fuzz fuzz/command.cpp)
endif()
if(CPRNG_SANITIZE MATCHES "fuzzer")
	add_executable(cprng_test_fuzz fuzz/fuzzer.cpp ${fuzz})
	set_target_properties(cprng_test_fuzz PROPERTIES OUTPUT_NAME fuzz)
	target_include_directories(cprng_test_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/src)
	target_link_libraries(cprng_test_fuzz PRIVATE cprng_build_flags cprng_static)
	target_link_options(cprng_test_fuzz PRIVATE -fsanitize=fuzzer)
	cprng_replace(cprng_test_fuzz ${fuzz})
	# Not a subject of the search, but it would take most of the time.
	set_source_files_properties(${fuzz_model} PROPERTIES COMPILE_OPTIONS "-O2;-fno-sanitize=all")
else()
	cprng_test(NAME fuzz LABEL fuzz OPTIONS -O1 SOURCES fuzz/replay.cpp ${fuzz})
endif()
target_compile_definitions(cprng_test_fuzz PRIVATE CPRNG_FUZZ_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus"
	CPRNG_FUZZ_PAGE="${PROJECT_SOURCE_DIR}/docs/streams-specification.md")
if(CPRNG_COMMAND)
	target_compile_definitions(cprng_test_fuzz PRIVATE CPRNG_FUZZ_COMMAND)
	target_link_libraries(cprng_test_fuzz PRIVATE cprng_command_parts)
endif()

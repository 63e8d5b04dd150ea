# SPDX-License-Identifier: BSD-2-Clause
#
# The library with other constants.  A variant has changed copies of the one or two files with the constant, before the
# originals in the include path.  What depends on the constant is recompiled; the rest are the library's own objects.
# Each is a shared object that cprng-lab loads, with all its symbols bound inside (-Bsymbolic), so that several coexist.

include(${CMAKE_CURRENT_LIST_DIR}/changed_copy.cmake)

# lab_variant(NAME [CHANGE FILE OLD NEW]... [DEFINITIONS ...] [SOURCES SOURCE...])    SOURCES: to be compiled again
function(lab_variant name)
	cmake_parse_arguments(variant "" "" "CHANGE;DEFINITIONS;SOURCES" ${ARGN})
	set(changed ${CMAKE_CURRENT_BINARY_DIR}/variants/${name})
	set(sources ${variant_SOURCES})
	list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
	while(variant_CHANGE)
		list(POP_FRONT variant_CHANGE file old new)
		changed_copy(${changed}/${file} ${PROJECT_SOURCE_DIR}/${file} "${old}" "${new}")
		set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
		list(TRANSFORM sources REPLACE "^${PROJECT_SOURCE_DIR}/${file}$" ${changed}/${file})
	endwhile()
	set(objects $<TARGET_OBJECTS:cprng_hosted> $<TARGET_OBJECTS:cprng_api>)
	if(sources)
		list(TRANSFORM variant_SOURCES REPLACE "\\.c$" "\\\\.c" OUTPUT_VARIABLE again)
		list(JOIN again "|" again)
		set(objects "$<FILTER:${objects},EXCLUDE,/(${again})\\.o$>")
	endif()
	set(target lab_variant_${name})
	add_library(${target} MODULE ${sources} $<TARGET_OBJECTS:cprng_freestanding> ${objects})
	set_target_properties(${target} PROPERTIES
		PREFIX ""
		OUTPUT_NAME ${name}
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lab-variants
		C_VISIBILITY_PRESET hidden
		LINKER_LANGUAGE C
	)
	target_compile_definitions(${target} PRIVATE ${variant_DEFINITIONS})
	target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:cprng_hosted,COMPILE_OPTIONS>)
	target_include_directories(${target} PRIVATE ${changed}/include ${changed}/src
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
	target_link_libraries(${target} PRIVATE cprng_build_flags)
	target_link_options(${target} PRIVATE -Wl,--version-script=${version_script} -Wl,-Bsymbolic
		-Wl,-z,nodelete,-z,relro,-z,now)
	add_dependencies(cprng_lab ${target})
endfunction()

# lab_define(NAME CONSTANT OLD NEW): another value of a constant in src/process/draw.h.
function(lab_define name constant old new)
	foreach(source IN LISTS CPRNG_HOSTED_SOURCES)
		file(STRINGS ${PROJECT_SOURCE_DIR}/${source} uses REGEX "${constant}" LIMIT_COUNT 1)
		if(uses)
			list(APPEND users ${source})
			set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${source})
		endif()
	endforeach()
	lab_variant(${name} SOURCES ${users}
		CHANGE src/process/draw.h "#define ${constant} ${old}\n" "#define ${constant} ${new}\n")
endfunction()

# The values match lab/origins/sweep/library.cpp, which names the files; the defaults are the library's.
lab_variant(default)
foreach(refills IN ITEMS 1 2 4 8 32 64 256)
	lab_define(refills-${refills} CPRNG_REFILLS_PER_RESEED 16 ${refills})
endforeach()
foreach(bytes IN ITEMS 64 128 256 896)
	lab_define(short-${bytes} CPRNG_SHORT_MAX 512 ${bytes})
endforeach()
foreach(engine IN ITEMS chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8)
	lab_variant(engine-${engine} SOURCES src/process/process.c
		CHANGE src/process/process.c [[!cprng_engine_default(&p->engine, &p->backend)]]
		"(p->engine = cprng_engine_find(\"${engine}\"), p->backend = cprng_engine_select(p->engine)) == NULL")
endforeach()
# The inlined draws and the buffer depend on this one.
foreach(shift IN ITEMS 11 13 14 15)
	math(EXPR bytes "1 << ${shift}")
	lab_variant(buffer-${bytes} SOURCES ${CPRNG_HOSTED_SOURCES} CHANGE
		src/core/buffer.h "#define CPRNG_PORT_BUFFER 4096\n" "#define CPRNG_PORT_BUFFER ${bytes}\n"
		include/cprng/draw_x86_64.h "{shlq $12, %[\" cpu \"]|shl %[\" cpu \"], 12}"
			"{shlq $${shift}, %[\" cpu \"]|shl %[\" cpu \"], ${shift}}"
		include/cprng/draw_aarch64.h ", lsl #12\\n" ", lsl #${shift}\\n")
endforeach()
foreach(bytes IN ITEMS 256 512 2048 4096)
	lab_variant(stream-${bytes}
		SOURCES src/stream/stream.c src/stream/stream_numbers.c src/stream/stream_seed.c src/stream/stream_single.c
		CHANGE include/cprng/stream.h "#define CPRNG_STREAM_BUFFER 1024\n" "#define CPRNG_STREAM_BUFFER ${bytes}\n")
endforeach()
# Without restartable sequences, as where the C library does not register them.
lab_variant(slots SOURCES src/os/linux/sequences.c CHANGE src/os/linux/sequences.c
	"if (placement != NULL && strcmp(placement, \"slots\") == 0)" "if (placement == NULL || true)")

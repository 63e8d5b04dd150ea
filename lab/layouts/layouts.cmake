# SPDX-License-Identifier: BSD-2-Clause
#
# lab-layouts/PAD beside cprng-lab: its contenders, linked again with so many bytes in front of them.  How fast a loop of a
# few instructions is depends on where it lies in lines and pages; one program has one such place, and no figure of it says
# by how much another would differ.

add_library(lab_layouts_main OBJECT layouts/main.cpp)
target_link_libraries(lab_layouts_main PRIVATE lab_tour)
add_custom_target(cprng_lab_layouts)
foreach(pad IN ITEMS 0 16 32 48)
	set(layout cprng_lab_layout_${pad})
	# The pad's is the first object of the program.
	add_executable(${layout} layouts/pad.c $<TARGET_OBJECTS:lab_contenders_more> $<TARGET_OBJECTS:lab_layouts_main>
		$<TARGET_OBJECTS:cprng_freestanding>)
	target_compile_definitions(${layout} PRIVATE "LAB_PAD=\"${pad}\"")
	target_link_libraries(${layout} PRIVATE lab_tour)
	set_target_properties(${layout} PROPERTIES OUTPUT_NAME ${pad} LINKER_LANGUAGE CXX
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lab-layouts)
	add_dependencies(cprng_lab_layouts ${layout})
endforeach()
add_dependencies(cprng_lab cprng_lab_layouts)

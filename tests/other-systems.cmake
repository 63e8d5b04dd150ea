# SPDX-License-Identifier: BSD-2-Clause
#
# On other systems than Linux: the tests of draws that neither replace calls of Linux nor test its features.
cprng_test_program(draw
	rooms/api/contract.cpp
	machinery/thread_rounds.cpp
	promises/2-never-twice/fork.cpp
	promises/2-never-twice/fork_forms.cpp
	machinery/scenario.cpp
	promises/2-never-twice/accounting.cpp
	promises/1-full-strength/lengths.cpp
	${machine}
	machinery/outline.cpp
	promises/2-never-twice/restart.cpp
	rooms/process/sizes.cpp
	machinery/frequent_signals.cpp
	promises/3-erased/strong.cpp
	promises/2-never-twice/strong_fork.cpp
	promises/2-never-twice/strong_signals.cpp
	promises/6-anywhere/threads.cpp
	machinery/posix_draw_program.cpp
	machinery/sequences.cpp
)
cprng_test_options(cprng_test_draw)
cprng_precompile(cprng_test_draw)
target_link_libraries(cprng_test_draw PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_compile_definitions(cprng_test_draw PRIVATE CPRNG_TEST_OS_BSD=$<STREQUAL:${CPRNG_OS},bsd>)
set(placements draw-unbuffered)
if(CPRNG_OS STREQUAL "bsd")
	# With FreeBSD's calls, and with those of older systems and of emulators.
	target_sources(cprng_test_draw PRIVATE rooms/os/bsd.cpp)
	foreach(mode IN ITEMS old emulator no-page)
		add_test(NAME draw-bsd-${mode} COMMAND cprng_test_draw --source-file=*/rooms/os/bsd.cpp)
		set_tests_properties(draw-bsd-${mode} PROPERTIES LABELS draw ENVIRONMENT CPRNG_TEST_BSD=${mode})
	endforeach()
	set(placements draw-slots)
endif()
add_test(NAME ${placements} COMMAND cprng_test_draw)
set_tests_properties(${placements} PROPERTIES LABELS draw TIMEOUT ${timeout} PROCESSORS 2)

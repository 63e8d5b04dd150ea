# SPDX-License-Identifier: BSD-2-Clause
#
# On systems other than Linux: the tests of draws that neither replace Linux's calls nor test its features.
set(placement unbuffered)
set(draw_sources)
if(CPRNG_OS MATCHES "^(bsd|macos)$")
	set(placement slots)
	set(draw_sources unit/os/bsd.cpp)
endif()
cprng_test(NAME draw-${placement} PROGRAM draw LABEL draw PROPERTIES PROCESSORS 2
	LIBRARIES Threads::Threads ${CMAKE_DL_LIBS}
	DEFINITIONS ${bsds}
	SOURCES
		promises/1-full-strength/lengths.cpp
		promises/2-never-twice/fork.cpp promises/2-never-twice/restart.cpp
		promises/6-anywhere/threads.cpp
		support/fake_os.cpp support/frequent_signals.cpp ${machine} support/outline.cpp support/posix_draw_program.cpp
		support/scenario.cpp support/sequences.cpp
		unit/api/draws.cpp unit/api/sized.cpp
		${draw_sources}
)
if(CPRNG_OS MATCHES "^(bsd|macos)$")
	# With the system's calls, and with the calls of older systems and of emulators.
	foreach(mode IN ITEMS old emulator no-page)
		cprng_test(NAME draw-bsd-${mode} LABEL draw TARGET cprng_test_draw ARGUMENTS --source-file=*/unit/os/bsd.cpp
			ENVIRONMENT CPRNG_TEST_BSD=${mode})
	endforeach()
endif()

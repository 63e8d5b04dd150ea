# SPDX-License-Identifier: BSD-2-Clause
#
# The label basic, for `make test`: the tests for users, two minutes on two processors.  `make check` runs the others.  Some
# copies (promises/6-anywhere/copies) have this label, too, and `make test` also runs the label vectors.

if(CMAKE_CROSSCOMPILING OR CPRNG_SANITIZE OR NOT CPRNG_COMMAND)
	return()
endif()

set_property(TEST unit-all APPEND PROPERTY LABELS basic)
# Only the backend that this CPU would choose.
cprng_test(NAME erasure-chosen LABEL basic TARGET cprng_test_erasure ARGUMENTS --backend=chosen)
# Draws in each placement, by some tests of the program draw: results, forks, invalidations, erasure, recovery, threads.  Threads
# that register themselves (own) use per-CPU buffers, too, and are in `make check`; so are single steps, which take longer than all
# the rest.
set(basic_placements ${placements})
list(REMOVE_ITEM basic_placements own)
cprng_test(NAME draws LABEL basic PLACEMENTS ${basic_placements} PROPERTIES SKIP_RETURN_CODE 77
	ARGUMENTS "--test-case-exclude=anywhere: draws of each kind end under single steps"
	LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} -Wl,-z,now
	DEFINITIONS CPRNG_TEST_DOCUMENTS="${PROJECT_SOURCE_DIR}/docs"
	SOURCES
		promises/2-never-twice/fork.cpp promises/2-never-twice/invalidate.cpp promises/3-erased/erasure.cpp
		promises/4-recovery/recovery.cpp promises/5-no-quiet-failure/answers.cpp promises/6-anywhere/anywhere.cpp
		promises/6-anywhere/threads.cpp unit/api/draws.cpp
		support/draw_program.cpp ${fake_os} support/filters.cpp support/frequent_signals.cpp ${machine}
		support/outline.cpp support/scenario.cpp support/sequences.cpp
)

# The command's main paths: of lines, what needs neither a full disk nor little memory.
set(paths values queries stream)
list(TRANSFORM paths REPLACE ".+" "${cli}/test_\\0.py")
set(lines shuffle in_place odd_lines zero operands pick numbers seeded_order_of_the_page count_of_shuffle repeat)
list(TRANSFORM lines PREPEND ${cli}/test_lines.py::test_)
list(APPEND paths ${lines})
cprng_test(NAME command LABEL basic PYTEST ${paths} PROPERTIES COST 1000 ENVIRONMENT
	"CPRNG_COMMAND=$<TARGET_FILE:cprng_command>" "CPRNG_EMULATOR=" "CC=${CMAKE_C_COMPILER}")

add_custom_target(cprng_basic DEPENDS cprng_shared cprng_static cprng_command cprng_test_unit cprng_test_draws
	cprng_test_erasure cprng_test_copies_static-and-linked cprng_test_copies_static-and-plugins)
if(TARGET cprng_dropins)
	add_dependencies(cprng_basic cprng_dropins) # they are installed, too
endif()

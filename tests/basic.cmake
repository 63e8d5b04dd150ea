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

# The command's main paths: of lines, what needs neither a full disk nor little memory.
set(lines shuffle in_place odd_lines zero operands pick numbers seeded_order_of_the_page count_of_shuffle repeat)
list(TRANSFORM lines PREPEND ${cli}/test_lines.py::test_)
cprng_test(NAME command LABEL basic PYTEST ${main_paths} ${lines} PROPERTIES COST 1000 ENVIRONMENT
	"CPRNG_COMMAND=$<TARGET_FILE:cprng_command>" "CPRNG_EMULATOR=" "CC=${CMAKE_C_COMPILER}")

add_custom_target(cprng_basic DEPENDS cprng_shared cprng_static cprng_command cprng_test_unit cprng_test_draws
	cprng_test_erasure cprng_test_copies_static-and-linked cprng_test_copies_static-and-plugins)
if(TARGET cprng_dropins)
	add_dependencies(cprng_basic cprng_dropins) # they are installed, too
endif()

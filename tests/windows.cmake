# SPDX-License-Identifier: BSD-2-Clause
#
# Windows: the contract with the system, draws, the seed file, and those tests of Fortuna that do not need Linux.  wine runs them
# (tests/system/windows/run).
cprng_test(NAME os LABEL windows OPTIONS -O1 ARGUMENTS ${less}
	SOURCES unit/os/windows.cpp unit/os/windows_files.cpp support/windows/calls.cpp ${machine}
)
cprng_test(NAME draw LABEL windows PLACEMENTS default LEVELS baseline OPTIONS -O1 ARGUMENTS ${less}
	SOURCES unit/process/windows_draws.cpp unit/api/draws.cpp support/outline.cpp support/ceiling.cpp ${machine}
)
cprng_test(NAME seed-file LABEL windows OPTIONS -O1 ARGUMENTS ${less}
	SOURCES unit/process/seed_file/windows_seed_file.cpp ${machine}
)
cprng_test(NAME fortuna LABEL windows OPTIONS -O1 ARGUMENTS ${less}
	DEFINITIONS CPRNG_TEST_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/vectors"
	SOURCES
		unit/core/sha256.cpp
		unit/fortuna/accumulator.cpp unit/fortuna/concurrent.cpp unit/fortuna/generator.cpp unit/fortuna/health.cpp
		unit/fortuna/invalidated.cpp unit/fortuna/known_answers.cpp unit/fortuna/reference.cpp
		unit/fortuna/timeline.cpp support/ceiling.cpp ${machine}
)
# The command: the tests that do not need Unix, and tests of its code for Windows.
if(CPRNG_COMMAND)
	set(cli encodings numbers seed stream values)
	list(TRANSFORM cli REPLACE "^[a-z]+$" "${CMAKE_CURRENT_SOURCE_DIR}/system/cli/test_\\0.py")
	set(command ENVIRONMENT CPRNG_COMMAND=$<TARGET_FILE:cprng_command> CPRNG_EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR})
	cprng_test(NAME cli LABEL cli PYTEST ${cli} ${command})
	cprng_test(NAME cli-windows LABEL cli PYTEST ${CMAKE_CURRENT_SOURCE_DIR}/system/windows ${command})
endif()

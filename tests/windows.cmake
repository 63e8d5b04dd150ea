# SPDX-License-Identifier: BSD-2-Clause
#
# Windows: the contract with the system, draws, the seed file, and Fortuna as far as its tests need nothing of Linux.  wine runs
# them (tests/programs/windows/run).
function(cprng_windows_test name)
	cprng_test_program(${name} ${ARGN} ${machine})
	cprng_test_options(cprng_test_${name} -O1)
	string(REPLACE _ - test ${name})
	add_test(NAME ${test} COMMAND cprng_test_${name} ${less})
	set_tests_properties(${test} PROPERTIES LABELS windows TIMEOUT ${timeout})
endfunction()

cprng_windows_test(os rooms/os/windows.cpp rooms/os/windows_files.cpp machinery/windows/calls.cpp)
cprng_replace(cprng_test_os cprng_os_map cprng_windows_calls)

cprng_windows_test(draw rooms/process/windows_draws.cpp rooms/api/contract.cpp machinery/outline.cpp machinery/ceiling.cpp)
cprng_replace(cprng_test_draw cprng_os_vm_page)
add_test(NAME draw-baseline COMMAND cprng_test_draw --cpu-ceiling=baseline ${less})
set_tests_properties(draw-baseline PROPERTIES LABELS windows TIMEOUT ${timeout})

cprng_windows_test(seed_file rooms/process/seed_file/windows_seed_file.cpp)
cprng_replace(cprng_test_seed_file cprng_os_sleep cprng_strong_seed cprng_windows_describe_access)

cprng_windows_test(fortuna
	rooms/fortuna/concurrent.cpp
	rooms/fortuna/counter.cpp
	rooms/fortuna/health.cpp
	rooms/fortuna/invalidated.cpp
	rooms/fortuna/known_answers.cpp
	rooms/fortuna/recovery.cpp
	rooms/fortuna/reference.cpp
	rooms/fortuna/schedule.cpp
	rooms/fortuna/sha256.cpp
	rooms/fortuna/timeline.cpp
	machinery/ceiling.cpp
)
target_compile_definitions(cprng_test_fortuna PRIVATE CPRNG_TEST_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/vectors")

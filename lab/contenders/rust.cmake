# SPDX-License-Identifier: BSD-2-Clause
#
# Rust's generators: a static library, built where cargo and its crates are available.  Cargo.lock names the crates.

option(CPRNG_LAB_DOWNLOAD "Let cargo download what the lab's part in Rust stands on, once; `make lab` does" OFF)
option(CPRNG_LAB_AWS_LC "Build AWS-LC for the lab, too, from its package for Rust: minutes, and a C library of its own" OFF)

add_library(lab_rust INTERFACE)
set(lab_rust_absent "cargo was not found when the lab was built")
set(lab_rust_source ${CMAKE_CURRENT_LIST_DIR}/rust)
find_program(CPRNG_CARGO cargo PATHS $ENV{HOME}/.cargo/bin)
mark_as_advanced(CPRNG_CARGO)
if(CPRNG_CARGO)
	execute_process(COMMAND ${CPRNG_CARGO} --version OUTPUT_VARIABLE lab_cargo_version ERROR_QUIET)
	string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" lab_cargo_version "${lab_cargo_version}")
	if(lab_cargo_version VERSION_LESS 1.78)
		set(lab_rust_absent "cargo ${lab_cargo_version} is older than 1.78")
	else()
		# Crates that are here already, or else from the network, which may not be there: no build but that of the lab
		# should wait for it.
		set(lab_rust_fetch ${CPRNG_CARGO} fetch --quiet --locked --manifest-path ${lab_rust_source}/Cargo.toml)
		execute_process(COMMAND ${lab_rust_fetch} --offline RESULT_VARIABLE lab_rust_failed OUTPUT_QUIET ERROR_QUIET)
		if(NOT lab_rust_failed EQUAL 0 AND CPRNG_LAB_DOWNLOAD)
			execute_process(COMMAND ${lab_rust_fetch} RESULT_VARIABLE lab_rust_failed TIMEOUT 120
				OUTPUT_QUIET ERROR_QUIET)
		endif()
		set(lab_rust_absent "")
		if(NOT lab_rust_failed EQUAL 0 AND CPRNG_LAB_DOWNLOAD)
			set(lab_rust_absent "cargo could not get its crates when the lab was built")
		elseif(NOT lab_rust_failed EQUAL 0)
			set(lab_rust_absent "cargo has not its crates: cmake -DCPRNG_LAB_DOWNLOAD=ON gets them")
		endif()
	endif()
endif()

set(lab_rust_aws_lc_absent "cmake -DCPRNG_LAB_AWS_LC=ON builds it")
if(NOT lab_rust_absent STREQUAL "")
	target_compile_definitions(lab_rust INTERFACE "LAB_RUST_ABSENT=\"${lab_rust_absent}\"")
	set(lab_rust_aws_lc_absent ${lab_rust_absent})
else()
	set(lab_rust_features "")
	if(CPRNG_LAB_AWS_LC)
		set(lab_rust_features --features aws-lc)
		target_compile_definitions(lab_rust INTERFACE LAB_RUST_AWS_LC)
	endif()
	set(lab_rust_target ${CMAKE_CURRENT_BINARY_DIR}/rust)
	set(lab_rust_library ${lab_rust_target}/release/libcprng_lab_rust.a)
	add_custom_command(OUTPUT ${lab_rust_library}
		COMMAND ${CPRNG_CARGO} build --quiet --release --locked --offline ${lab_rust_features}
			--manifest-path ${lab_rust_source}/Cargo.toml --target-dir ${lab_rust_target}
		DEPENDS ${lab_rust_source}/Cargo.toml ${lab_rust_source}/Cargo.lock ${lab_rust_source}/src/lib.rs
		COMMENT "Building Rust's generators"
		VERBATIM
	)
	add_custom_target(cprng_lab_rust DEPENDS ${lab_rust_library})
	add_dependencies(lab_rust cprng_lab_rust)
	target_compile_definitions(lab_rust INTERFACE LAB_RUST)
	target_link_libraries(lab_rust INTERFACE ${lab_rust_library} ${CMAKE_DL_LIBS})
endif()
if(NOT CPRNG_LAB_AWS_LC OR NOT lab_rust_absent STREQUAL "")
	target_compile_definitions(lab_rust INTERFACE "LAB_RUST_AWS_LC_ABSENT=\"${lab_rust_aws_lc_absent}\"")
endif()

# SPDX-License-Identifier: BSD-2-Clause
#
# Rust's generators: a program that measures itself, built if cargo and the crates that Cargo.lock names are available.
# lab_rust_absent and lab_aws_lc_absent are the reasons if not, else empty.

option(CPRNG_LAB_DOWNLOAD "Let the lab get what other contenders need, once: crates, a newer C library; `make lab` does" OFF)
set(CPRNG_LAB_AWS_LC "AUTO" CACHE STRING
	"Build AWS-LC for the lab from its package for Rust, a C library that takes minutes; AUTO: with CPRNG_LAB_DOWNLOAD")
set_property(CACHE CPRNG_LAB_AWS_LC PROPERTY STRINGS AUTO ON OFF)

set(lab_rust_absent "cargo was not found when the lab was built")
set(lab_rust_source ${CMAKE_CURRENT_LIST_DIR}/rust)
find_program(CPRNG_CARGO cargo PATHS $ENV{HOME}/.cargo/bin)
mark_as_advanced(CPRNG_CARGO)
if(CPRNG_CARGO)
	execute_process(COMMAND ${CPRNG_CARGO} --version OUTPUT_VARIABLE lab_cargo_version ERROR_QUIET)
	string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" lab_cargo_version "${lab_cargo_version}")
	if(lab_cargo_version VERSION_LESS 1.85)
		set(lab_rust_absent "cargo ${lab_cargo_version} is older than 1.85")
	else()
		# Use the crates that are present; else the network, which may be absent.  Only the lab's build waits for it.
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

function(lab_package_version package to)
	file(READ ${lab_rust_source}/Cargo.lock lock)
	string(REGEX MATCH "name = \"${package}\"\nversion = \"([^\"]*)\"" found "${lock}")
	set(${to} "${package} ${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
lab_package_version(rand lab_rand_version)
lab_package_version(aws-lc-sys lab_aws_lc_version)

if(CPRNG_LAB_AWS_LC STREQUAL "AUTO")
	set(lab_aws_lc ${CPRNG_LAB_DOWNLOAD})
else()
	set(lab_aws_lc ${CPRNG_LAB_AWS_LC})
endif()
set(lab_aws_lc_absent "${lab_rust_absent}") # quoted: an empty set() would unset it
if(lab_aws_lc_absent STREQUAL "" AND NOT lab_aws_lc)
	set(lab_aws_lc_absent "cmake -DCPRNG_LAB_AWS_LC=ON builds it")
endif()

if(lab_rust_absent STREQUAL "")
	set(lab_rust_features "")
	if(lab_aws_lc)
		list(APPEND lab_rust_features --features aws-lc)
	endif()
	if(lab_cargo_version VERSION_GREATER_EQUAL 1.91) # what rand_aes needs
		list(APPEND lab_rust_features --features aes)
	endif()
	set(lab_rust_target ${CMAKE_CURRENT_BINARY_DIR}/rust)
	set(lab_rust_program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cprng-lab-rust)
	# cargo uses as many processes as there are CPUs, unless make limits it.
	add_custom_command(OUTPUT ${lab_rust_program}
		COMMAND ${CPRNG_CARGO} build --quiet --release --locked --offline ${lab_rust_features}
			--manifest-path ${lab_rust_source}/Cargo.toml --target-dir ${lab_rust_target}
		COMMAND ${CMAKE_COMMAND} -E copy ${lab_rust_target}/release/cprng-lab-rust-choices ${lab_rust_program}-choices
		COMMAND ${CMAKE_COMMAND} -E copy ${lab_rust_target}/release/cprng-lab-rust ${lab_rust_program}
		DEPENDS ${lab_rust_source}/Cargo.toml ${lab_rust_source}/Cargo.lock ${lab_rust_source}/src/choices.rs
			${lab_rust_source}/src/clock.rs ${lab_rust_source}/src/main.rs ${lab_rust_source}/src/sources.rs
		COMMENT "Building cprng-lab-rust"
		VERBATIM
	)
	add_custom_target(cprng_lab_rust DEPENDS ${lab_rust_program})
endif()

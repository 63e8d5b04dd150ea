# SPDX-License-Identifier: BSD-2-Clause
#
# cprng_installed_flags: the flags, in addition to cprng_build_flags, of everything that is installed, if the compiler knows them.
# A distribution's CFLAGS stay in effect; functions on the path of a draw refuse the stack protector
# (CPRNG_NO_CANARY).

include_guard(GLOBAL)
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

add_library(cprng_installed_flags INTERFACE)

# Protect indirect branches and returns.  A program has the property only if all of its objects do, so all are compiled with
# it.  The abort code of a restartable sequence is no target of an
# indirect branch: the kernel sets the program counter.
set(options -fcf-protection=full -mbranch-protection=standard)
# On mingw-w64, programs that link the static library would also have to name the library with the functions of both.
if(WIN32)
	set(CPRNG_WITHOUT_CHECKS ON)
else()
	list(APPEND options -fstack-protector-strong)
endif()
foreach(option IN LISTS options)
	string(MAKE_C_IDENTIFIER "CPRNG_HAVE${option}" have)
	check_c_compiler_flag(${option} ${have})
	if(${have})
		target_compile_options(cprng_installed_flags INTERFACE ${option})
	endif()
endforeach()

# The bytes do not depend on the path of the source tree.
check_c_compiler_flag(-ffile-prefix-map=/source=. CPRNG_HAVE_PREFIX_MAP)
if(CPRNG_HAVE_PREFIX_MAP)
	target_compile_options(cprng_installed_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

# The highest level without a warning: the C library warns about a level that the compiler lacks, and the compiler about one
# that it sets itself.  (The address sanitizer does not see through the functions that this calls.)
function(cprng_fortify language)
	if(CPRNG_SANITIZE OR CPRNG_WITHOUT_CHECKS OR CMAKE_${language}_FLAGS MATCHES "_FORTIFY_SOURCE")
		return()
	endif()
	if(CMAKE_CONFIGURATION_TYPES)
		set(CMAKE_TRY_COMPILE_CONFIGURATION Release) # of several, of which Debug gets none
	endif()
	foreach(level IN ITEMS 3 2)
		set(CMAKE_REQUIRED_FLAGS "-Werror -D_FORTIFY_SOURCE=${level}")
		set(have CPRNG_HAVE_FORTIFY_${language}_${level})
		unset(${have} CACHE) # flags and build type may be others than at the last time
		set(source "
			#include <string.h>
			#if !defined(__OPTIMIZE__)
			#error
			#endif
			int main(void) { return 0; }")
		if(language STREQUAL "C")
			check_c_source_compiles("${source}" ${have})
		else()
			check_cxx_source_compiles("${source}" ${have})
		endif()
		if(${have})
			target_compile_definitions(cprng_installed_flags INTERFACE
				$<$<AND:$<COMPILE_LANGUAGE:${language}>,$<NOT:$<CONFIG:Debug>>>:_FORTIFY_SOURCE=${level}>)
			return()
		endif()
	endforeach()
endfunction()
cprng_fortify(C)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(CXX IN_LIST languages)
	include(CheckCXXSourceCompiles)
	cprng_fortify(CXX)
endif()

# Resolve the addresses of functions when the program starts, and make them read-only.
if(CPRNG_ELF)
	target_link_options(cprng_installed_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

# SPDX-License-Identifier: BSD-2-Clause
#
# randp itself, if installed.  The lab does not build it: it needs make and a C23 compiler (https://github.com/planet36/randp).
# gcc 12 of Debian 12 lacks a part of C23, and makes it with this in its folder; then PKG_CONFIG_PATH=$HOME/randp/lib/pkgconfig:
#
#     make install PREFIX="$HOME/randp" VERSION="$(git describe --tags --abbrev=0)" CFLAGS='-std=gnu2x -O3 -maes -fPIC' \
#         CPPFLAGS='-D_DEFAULT_SOURCE -Dnullptr=0 -Dconstexpr=const -Dstatic_assert=_Static_assert -include stdbool.h -include stdalign.h'

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
	pkg_check_modules(CPRNG_RANDP QUIET IMPORTED_TARGET randp)
endif()
if(CPRNG_RANDP_FOUND)
	target_compile_definitions(lab_contenders INTERFACE "LAB_RANDP=\"randp ${CPRNG_RANDP_VERSION}\"")
	target_link_libraries(lab_contenders INTERFACE PkgConfig::CPRNG_RANDP)
endif()

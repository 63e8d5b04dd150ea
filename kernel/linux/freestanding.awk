# SPDX-License-Identifier: BSD-2-Clause
#
# From src/sources.cmake: the freestanding sources that every machine has, and those of x86-64.
/^set\(CPRNG_FREESTANDING_SOURCES/ || /^if\(.*x86_64/ { listed = 1 }
/^elseif|^set\(CPRNG_HOSTED/ { listed = 0 }
listed && $1 ~ /^src\// { print $1 }

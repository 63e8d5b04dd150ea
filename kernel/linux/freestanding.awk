# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# From src/sources.cmake: the freestanding sources that every machine has, and those of x86-64; not the engines that
# CPRNG_CHACHA_ALONE leaves out of the table (kernel/linux/port.h).
/^set\(CPRNG_FREESTANDING_SOURCES/ || /^if\(.*x86_64/ { listed = 1 }
/^elseif|^set\(CPRNG_HOSTED/ { listed = 0 }
listed && $1 ~ /^src\// && $1 !~ /^src\/engine\/(aesctr|salsa20)\// { print $1 }

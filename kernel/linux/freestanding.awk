# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Print the freestanding sources that src/sources.cmake lists for every machine and for x86-64, without the engines that
# CPRNG_CHACHA_ALONE leaves out of the table (kernel/linux/port.h).
/^set\(CPRNG_FREESTANDING_SOURCES/ || /^if\(.*x86_64/ { listed = 1 }
/^elseif|^set\(CPRNG_HOSTED/ { listed = 0 }
listed && $1 ~ /^src\// && $1 !~ /^src\/engine\/(aesctr|salsa20)\// { print $1 }

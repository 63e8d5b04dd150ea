# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Print the freestanding sources for x86-64 that src/sources.cmake lists.  Unless engines is "all", omit the engines that
# CPRNG_CHACHA_ALONE leaves out of the table (kernel/linux/port.h).
/^set\(CPRNG_FREESTANDING_SOURCES/ { listed = 1 }
/^set\(CPRNG_HOSTED/ { listed = 0 }
engines != "all" && $1 ~ /^src\/engine\/(aesctr|salsa20)\// { next }
listed && $1 ~ /^src\// && $1 !~ /_(aarch64|armv8|generic|neon)\.c$/ { print $1 }

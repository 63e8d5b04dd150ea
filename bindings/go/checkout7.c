// SPDX-License-Identifier: BSD-2-Clause

//go:build !purego && !cprng_installed && (linux && !android || darwin || freebsd || netbsd || openbsd || windows && (amd64||arm64))

#if !__has_include("cprng.c")
#include "numbers/numbers.c"
#include "engine/salsa20/salsa20_avx512.c"
#endif

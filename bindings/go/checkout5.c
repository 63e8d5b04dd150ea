// SPDX-License-Identifier: BSD-2-Clause

//go:build !purego && !cprng_installed && (linux && !android || darwin || freebsd || netbsd || openbsd || windows && (amd64||arm64))

#if !__has_include("cprng.c")
#include "engine/salsa20/salsa20_sse2.c"
#include "engine/salsa20/salsa20_neon.c"
#include "engine/salsa20/salsa20_simd128.c"
#include "engine/aesctr/aesctr_vaes256.c"
#endif

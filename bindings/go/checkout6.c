// SPDX-License-Identifier: BSD-2-Clause

//go:build !purego && !cprng_installed && (linux && !android || darwin || freebsd || netbsd || openbsd || windows && (amd64||arm64))

#if !__has_include("cprng.c")
#include "engine/aesctr/aesctr_portable.c"
#include "engine/salsa20/salsa20_avx2.c"
#endif

// SPDX-License-Identifier: BSD-2-Clause

//go:build !purego && !cprng_installed && (linux && !android || darwin || freebsd || netbsd || openbsd || windows && (amd64||arm64))

#if !__has_include("cprng.c")
#include "numbers/numbers_lanes2.c"
#include "engine/chacha/chacha_ssse3.c"
#include "engine/aesctr/aesctr_ssse3.c"
#endif

// SPDX-License-Identifier: BSD-2-Clause
// libsodium chooses its implementation by these weak functions, which a program may replace.  Here they report the
// features below the library's ceiling, so that both run at one level; without a ceiling they report all.
#ifdef LAB_SODIUM
#include <cstdint>

#include <sodium.h>

#include "cpu/cpu.h"

namespace {

int has(std::uint32_t any_of)
{
	return (cprng_cpu_features() & any_of) != 0;
}

} // namespace

#ifdef __x86_64__
int sodium_runtime_has_ssse3()
{
	return has(CPRNG_CPU_SSSE3);
}

int sodium_runtime_has_sse41()
{
	return has(CPRNG_CPU_AESNI | CPRNG_CPU_AVX2);
}

int sodium_runtime_has_avx()
{
	return has(CPRNG_CPU_AVX2);
}

int sodium_runtime_has_avx2()
{
	return has(CPRNG_CPU_AVX2);
}

int sodium_runtime_has_avx512f()
{
	return has(CPRNG_CPU_AVX512);
}
#endif
#endif

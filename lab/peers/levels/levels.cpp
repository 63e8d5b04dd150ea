// SPDX-License-Identifier: BSD-2-Clause
#include "levels.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>

#include <fmt/format.h>

#include "../../common/error.hpp"
#include "cpu/cpu.h"

namespace lab::levels {

namespace {

constexpr std::uint64_t bits(std::initializer_list<unsigned int> numbers)
{
	std::uint64_t all = 0;
	for (const unsigned int number : numbers)
		all |= std::uint64_t{ 1 } << number;
	return all;
}

// CPUID: EDX of leaf 1 and, from bit 32 on, ECX; EBX of leaf 7 and, from bit 32 on, ECX.
constexpr std::uint64_t aes = bits({ 32 + 1, 32 + 25 });                             // with PCLMULQDQ
constexpr std::uint64_t avx = bits({ 32 + 11, 32 + 12, 32 + 28, 32 + 29 });          // with XOP, FMA and F16C
constexpr std::uint64_t ssse3 = bits({ 32 + 0, 32 + 9, 32 + 19, 32 + 20, 32 + 22 }); // SSE3 to SSE4.2, and MOVBE
constexpr std::uint64_t avx512 = bits({ 16, 17, 21, 26, 27, 28, 30, 31, 32 + 1, 32 + 6, 32 + 11, 32 + 12, 32 + 14 });
constexpr std::uint64_t vaes = bits({ 32 + 8, 32 + 9, 32 + 10 }); // with GFNI and VPCLMULQDQ
constexpr std::uint64_t avx2 = bits({ 3, 5, 8, 19 });             // with BMI1, BMI2 and ADX

enum : std::uint32_t {
	SSSE3 = CPRNG_CPU_SSSE3,
	AVX2 = SSSE3 | CPRNG_CPU_AVX2,
	AESNI = CPRNG_CPU_AESNI,
};

constexpr level all[] = {
	{ everything, "all that this CPU has", ~0u, { 0, 0 } },
	{ "vaes256", "AVX2 and VAES", AVX2 | AESNI | CPRNG_CPU_VAES, { 0, avx512 } },
	{ "avx2-aesni", "AVX2 and AES-NI", AVX2 | AESNI, { 0, avx512 | vaes } },
	{ "aesni", "SSE4.1 and AES-NI", SSSE3 | AESNI, { avx, avx512 | vaes | avx2 } },
	{ "avx2", "AVX2, no instruction for AES", AVX2, { aes, avx512 | vaes } },
	{ "ssse3", "SSSE3, no instruction for AES", SSSE3, { aes | avx, avx512 | vaes | avx2 } },
	{ "sse2", "SSE2", 0, { aes | avx | ssse3, avx512 | vaes | avx2 } },
};

// On other architectures nothing is disabled.
bool can_play([[maybe_unused]] const level &at)
{
#ifdef __x86_64__
	return at.name == std::string(everything) || (at.features & ~cprng_cpu_features()) == 0;
#else
	return at.name == std::string(everything);
#endif
}

} // namespace

std::vector<level> possible()
{
	std::vector<level> chosen;
	std::copy_if(std::begin(all), std::end(all), std::back_inserter(chosen), can_play);
	return chosen;
}

level find(const std::string &name)
{
	for (const level &at : possible())
		if (at.name == name)
			return at;
	throw usage_error("no such level on this CPU: " + name);
}

std::vector<std::string> command_of(const level &at)
{
	// This program's path, because env would resolve /proc/self/exe to itself.
	std::vector<std::string> command = { std::filesystem::read_symlink("/proc/self/exe"), "levels-child", at.name };
	if (at.openssl_lack[0] != 0 || at.openssl_lack[1] != 0)
		command.insert(command.begin(),
			       { "/usr/bin/env", fmt::format("OPENSSL_ia32cap=~{:#x}:~{:#x}", at.openssl_lack[0],
							     at.openssl_lack[1]) });
	return command;
}

} // namespace lab::levels

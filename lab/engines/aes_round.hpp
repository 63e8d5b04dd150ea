// SPDX-License-Identifier: BSD-2-Clause
// One AES round by the CPU's instruction, for engines built of rounds that are not AES.
#ifndef CPRNG_LAB_ENGINES_AES_ROUND_HPP
#define CPRNG_LAB_ENGINES_AES_ROUND_HPP

#include "cpu/cpu.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LAB_AES_HERE 1
#define LAB_AES_TARGET [[gnu::target("aes,sse2")]]

namespace lab {

using aes_block = __m128i;
constexpr unsigned int aes_needs = CPRNG_CPU_AESNI;

// MixColumns(ShiftRows(SubBytes(block))) ^ key.
LAB_AES_TARGET inline aes_block aes_round(aes_block block, aes_block key)
{
	return _mm_aesenc_si128(block, key);
}

// InvMixColumns(InvShiftRows(InvSubBytes(block))) ^ key.
LAB_AES_TARGET inline aes_block aes_inverse_round(aes_block block, aes_block key)
{
	return _mm_aesdec_si128(block, key);
}

} // namespace lab

#elif defined(__aarch64__)

#include <arm_neon.h>

#define LAB_AES_HERE 1
#define LAB_AES_TARGET [[gnu::target("+crypto")]]

namespace lab {

using aes_block = uint8x16_t;
constexpr unsigned int aes_needs = CPRNG_CPU_ARM_AES;

LAB_AES_TARGET inline aes_block aes_round(aes_block block, aes_block key)
{
	return vaesmcq_u8(vaeseq_u8(block, vdupq_n_u8(0))) ^ key;
}

LAB_AES_TARGET inline aes_block aes_inverse_round(aes_block block, aes_block key)
{
	return vaesimcq_u8(vaesdq_u8(block, vdupq_n_u8(0))) ^ key;
}

} // namespace lab

#endif

#endif

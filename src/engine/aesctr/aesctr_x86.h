/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of aesctr_schedule.h, and the code that the backends for x86-64 share. */
#define AES_W __m128i
#define AES_W_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define AES_W_STORE(p, w) _mm_store_si128((__m128i *)(p), w)
#define AES_W_XOR(a, b) _mm_xor_si128(a, b)
#define AES_W_DOWN(w, n) _mm_srli_si128(w, 4 * (n))
#define AES_W_SHUFFLE(w, m) _mm_shuffle_epi8(w, m)
#define AES_W_SUBSHIFT(w, x) _mm_aesenclast_si128(w, x)

/* The counter as one little-endian number of 16 bytes, and the shuffle to a counter block. */
#define AES_X86_COUNTER(hi, lo) _mm_set_epi64x((long long)(hi), (long long)(lo))
#define AES_X86_REVERSE _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

#define AES_V_FENCE() _mm_sfence()

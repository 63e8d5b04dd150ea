/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include "cpu/target.h"

#define AES_W uint8x16_t
#define AES_W_LOAD(p) vld1q_u8(p)
#define AES_W_STORE(p, w) vst1q_u8(p, w)
#define AES_W_XOR(a, b) veorq_u8(a, b)
#define AES_W_DOWN(w, n) vextq_u8(w, vdupq_n_u8(0), 4 * (n))
#define AES_W_SHUFFLE(w, m) vqtbl1q_u8(w, m)
#define AES_W_SUBSHIFT(w, x) veorq_u8(vaeseq_u8(w, vdupq_n_u8(0)), x)

/* The high half of the counter comes first, so reversing the bytes within each half makes a counter block. */
#define AES_V uint8x16_t
#define AES_LANES 1
#define AES_V_KEY(p) vld1q_u8(p)
#define AES_V_COUNTER(hi, lo) vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(hi), vcreate_u64(lo)))
#define AES_V_LOW(n) AES_V_COUNTER(0, n)
#define AES_V_ADD(a, b) vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)))
#define AES_V_REGISTER "w"
#define AES_V_ORDER() vdupq_n_u8(0) /* unused: an instruction reverses the bytes */
#define AES_V_BLOCKS(v, order) vrev64q_u8(v)
#define AES_V_FIRST(s, k0) (s)
#define AES_V_ROUND(s, prev, k) vaesmcq_u8(vaeseq_u8(s, prev))
#define AES_V_LAST(s, prev, k) veorq_u8(vaeseq_u8(s, prev), k)
#define AES_V_STORE(p, v) vst1q_u8(p, v)
#define AES_V_STORE_PART(p, v, n) ((void)(p))
#define AES_V_HOLDS_KEYS 1
#define AES_V_STREAM(p, v) vst1q_u8(p, v) /* no intrinsic for STNP, and the hint would gain little */
#define AES_V_FENCE() ((void)0)

CPRNG_TARGET_BEGIN("+crypto")

#include "engine/aesctr/aesctr_schedule.h"
#include "engine/aesctr/aesctr_vector.h"

void cprng_aesctr_armv8_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	aes_expand(ks, key, key_size);
}

void cprng_aesctr_armv8_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				  unsigned int flags)
{
	aes_keystream(ks, rounds, out, nblocks, flags);
}

CPRNG_TARGET_END

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of 4 words for engine/vector/lanes.h, which says what each macro means: NEON, the baseline of AArch64. */
#include "core/port.h"
#include "cpu/target.h"

#define CPRNG_V_BEGIN
#define CPRNG_V_END

#define CPRNG_V_LANES 4
#define CPRNG_V_ALIGN 16
#define CPRNG_V_REGISTER "w"

typedef uint32x4_t cprng_v;

#define CPRNG_V_SET1(w) vdupq_n_u32(w)
#define CPRNG_V_INDEX() ((cprng_v){ 0, 1, 2, 3 })
#define CPRNG_V_ADD(a, b) vaddq_u32(a, b)
#define CPRNG_V_XOR(a, b) veorq_u32(a, b)
#define CPRNG_V_ROTATE(a, n) \
	((n) == 16 ? vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(a))) : \
		     vsriq_n_u32(vshlq_n_u32(a, n), a, 32 - (n)))

#define CPRNG_V_LOW32(a, b) vzip1q_u32(a, b)
#define CPRNG_V_HIGH32(a, b) vzip2q_u32(a, b)
#define CPRNG_V_LOW64(a, b) vreinterpretq_u32_u64(vzip1q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)))
#define CPRNG_V_HIGH64(a, b) vreinterpretq_u32_u64(vzip2q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)))

#define CPRNG_V_FENCE() ((void)0)

/* There is no intrinsic for a streaming store, so the hint is ignored. */
CPRNG_INLINE void cprng_v_put(uint8_t *out, size_t column, size_t count, bool stream, cprng_v a, cprng_v b, cprng_v c,
			      cprng_v d)
{
	uint8_t *p = out + 64 * column;

	(void)stream;
	if (column >= count)
		return;
	vst1q_u8(p, vreinterpretq_u8_u32(a));
	vst1q_u8(p + 16, vreinterpretq_u8_u32(b));
	vst1q_u8(p + 32, vreinterpretq_u8_u32(c));
	vst1q_u8(p + 48, vreinterpretq_u8_u32(d));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of 4 words for engine/vector/lanes.h, which says what each macro means: WebAssembly's, for modules with -msimd128. */
#include "core/port.h"
#include "cpu/target.h"

#define CPRNG_V_BEGIN
#define CPRNG_V_END

#define CPRNG_V_LANES 4
#define CPRNG_V_ALIGN 16
#define CPRNG_V_REGISTER "r"

typedef v128_t cprng_v;

#define CPRNG_V_SET1(w) wasm_u32x4_splat(w)
#define CPRNG_V_INDEX() wasm_u32x4_const(0, 1, 2, 3)
#define CPRNG_V_ADD(a, b) wasm_i32x4_add(a, b)
#define CPRNG_V_XOR(a, b) wasm_v128_xor(a, b)
/* Rotation by whole bytes is one shuffle, which hosts have; other rotations use shifts. */
#define CPRNG_V_ROTATE(a, n) \
	((n) == 16 ? wasm_i16x8_shuffle(a, a, 1, 0, 3, 2, 5, 4, 7, 6) : \
	 (n) == 8  ? wasm_i8x16_shuffle(a, a, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14) : \
		     wasm_v128_or(wasm_i32x4_shl(a, n), wasm_u32x4_shr(a, 32 - (n))))

#define CPRNG_V_LOW32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define CPRNG_V_HIGH32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define CPRNG_V_LOW64(a, b) wasm_i64x2_shuffle(a, b, 0, 2)
#define CPRNG_V_HIGH64(a, b) wasm_i64x2_shuffle(a, b, 1, 3)

#define CPRNG_V_FENCE() ((void)0)

/* There are no streaming stores: the hint is ignored. */
CPRNG_INLINE void cprng_v_put(uint8_t *out, size_t column, size_t count, bool stream, cprng_v a, cprng_v b, cprng_v c,
			      cprng_v d)
{
	uint8_t *p = out + 64 * column;

	(void)stream;
	if (column >= count)
		return;
	wasm_v128_store(p, a);
	wasm_v128_store(p + 16, b);
	wasm_v128_store(p + 32, c);
	wasm_v128_store(p + 48, d);
}

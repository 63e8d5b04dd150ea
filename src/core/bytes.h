/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of stated width and byte order, at any alignment; small copies; XOR of keys; equality. */
#ifndef CPRNG_CORE_BYTES_H
#define CPRNG_CORE_BYTES_H

#include "core/port.h"

CPRNG_INLINE uint32_t cprng_le32(uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap32(x);
#else
	return x;
#endif
}

CPRNG_INLINE uint64_t cprng_le64(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(x);
#else
	return x;
#endif
}

CPRNG_INLINE uint64_t cprng_be64(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return x;
#else
	return __builtin_bswap64(x);
#endif
}

CPRNG_INLINE uint32_t cprng_load_le32(const void *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof(x));
	return cprng_le32(x);
}

CPRNG_INLINE void cprng_store_le32(void *p, uint32_t x)
{
	x = cprng_le32(x);
	memcpy(p, &x, sizeof(x));
}

CPRNG_INLINE uint64_t cprng_load_le64(const void *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return cprng_le64(x);
}

CPRNG_INLINE void cprng_store_le64(void *p, uint64_t x)
{
	x = cprng_le64(x);
	memcpy(p, &x, sizeof(x));
}

CPRNG_INLINE uint64_t cprng_load_be64(const void *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return cprng_be64(x);
}

CPRNG_INLINE void cprng_store_be64(void *p, uint64_t x)
{
	x = cprng_be64(x);
	memcpy(p, &x, sizeof(x));
}

/* Copy len <= 32 bytes without libc's memcpy(), whose code a new child would have to fault in. */
CPRNG_INLINE void cprng_copy_few(uint8_t *dst, const uint8_t *src, size_t len)
{
	if (len >= 16) {
		memcpy(dst, src, 16);
		memcpy(dst + len - 16, src + len - 16, 16);
	} else if (len >= 8) {
		memcpy(dst, src, 8);
		memcpy(dst + len - 8, src + len - 8, 8);
	} else if (len >= 4) {
		memcpy(dst, src, 4);
		memcpy(dst + len - 4, src + len - 4, 4);
	} else if (len != 0) {
		dst[0] = src[0];
		dst[len / 2] = src[len / 2];
		dst[len - 1] = src[len - 1];
	}
}

/* Store the low-order len bytes of word, 1 to 8, only through registers. */
CPRNG_INLINE void cprng_store_low(uint8_t *dst, uint64_t word, size_t len)
{
	if (len == 8) {
		cprng_store_le64(dst, word);
	} else if (len >= 4) {
		cprng_store_le32(dst, (uint32_t)word);
		cprng_store_le32(dst + len - 4, (uint32_t)(word >> 8 * (len - 4)));
	} else {
		dst[0] = (uint8_t)word;
		dst[len / 2] = (uint8_t)(word >> 8 * (len / 2));
		dst[len - 1] = (uint8_t)(word >> 8 * (len - 1));
	}
}

/* Return false if the length wraps around the address space, as a negative one does; and the fatal error message for that. */
#define CPRNG_NO_END "a request is longer than the memory behind its address"
CPRNG_INLINE bool cprng_has_end(const void *p, size_t len)
{
	return (uintptr_t)p + len >= len;
}

/* key ^= other.  If the keys are independent and the attacker knows at most one of them, it does not know their sum. */
CPRNG_INLINE void cprng_xor(uint8_t *key, const uint8_t *other, size_t len)
{
	for (size_t i = 0; i < len; i++)
		key[i] ^= other[i];
}

/*
 * Without memcmp(), which MemorySanitizer replaces in a program: it would report memory that the library has written without its
 * knowledge.  The time does not depend on the bytes.
 */
CPRNG_INLINE bool cprng_equal(const void *a, const void *b, size_t len)
{
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
	uint8_t difference = 0;

	for (size_t i = 0; i < len; i++)
		difference = (uint8_t)(difference | (x[i] ^ y[i]));
	return difference == 0;
}

#endif

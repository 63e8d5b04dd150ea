/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of stated width and byte order, at any alignment; XOR of keys. */
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

/* key ^= other.  Of independent keys one is unknown to the attacker: their sum is as unknown as that one. */
CPRNG_INLINE void cprng_xor(uint8_t *key, const uint8_t *other, size_t len)
{
	for (size_t i = 0; i < len; i++)
		key[i] ^= other[i];
}

#endif

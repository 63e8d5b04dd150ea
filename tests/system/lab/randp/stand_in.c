// SPDX-License-Identifier: BSD-2-Clause
// The functions of randp.h, each with a recognisable result.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void randp_bytes(void *buf, size_t n)
{
	memset(buf, 0xbb, n);
}

uint8_t randp_u8(void)
{
	return 0x08;
}

uint16_t randp_u16(void)
{
	return 0x1616;
}

uint32_t randp_u32(void)
{
	return 0x32323232;
}

uint64_t randp_u64(void)
{
	return 0x6464646464646464;
}

uint32_t randp_lt_u32(uint32_t upper_bound)
{
	return upper_bound - 1;
}

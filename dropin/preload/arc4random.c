/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of arc4random(3) cannot fail: they return full-strength output or end the process. */
#include <cprng/cprng.h>

#include "preload.h"
#include "report.h"

/* glibc declares them since version 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buf, size_t len);
uint32_t arc4random_uniform(uint32_t bound);

EXPORT uint32_t arc4random(void)
{
	count(ARC4RANDOM, sizeof(uint32_t));
	return cprng_fast32();
}

EXPORT void arc4random_buf(void *buf, size_t len)
{
	count(ARC4RANDOM_BUF, len);
	cprng_fast(buf, len);
}

EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
	count(ARC4RANDOM_UNIFORM, sizeof(uint32_t));
	return cprng_uniform32(bound);
}

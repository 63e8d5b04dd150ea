/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of <cprng/draw.h> for callers that do not inline them, and the slow path of inlined draws. */
#define CPRNG_INLINE_DRAW
#define CPRNG_DEFINES_FAST
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "process/draw.h"
#include "process/inlined.h"
#include "process/process.h"

/* Inlined into programs. */
_Static_assert(offsetof(struct cprng_draw, buffers) == 0, "the pages");
_Static_assert(offsetof(struct cprng_draw, rseq_offset) == sizeof(void *), "the area");
_Static_assert(offsetof(struct cprng_draw, cpus) == 2 * sizeof(void *), "the CPUs");
_Static_assert(sizeof(struct cprng_draw) == 64 && _Alignof(struct cprng_draw) == 64, "a line of its own");

CPRNG_HOT uint64_t cprng_draw_slow_1(unsigned int bytes)
{
	struct cprng_process *p = cprng_process();
	uint64_t value = 0, result;
	/* The low-order end of value, where the caller's narrower type takes it from. */
	uint8_t *low = (uint8_t *)&value + (cprng_le32(1) == 1 ? 0 : sizeof(value) - bytes);

	if (CPRNG_HAVE_RESTARTABLE_DRAW && p->placement->restartable && cprng_inlined_publish(p)) {
		/* The inlined draw has found the buffer short. */
		cprng_draw_by_refill(p, low, bytes);
	} else {
		cprng_draw_bytes(p, low, bytes);
	}
	result = value;
	cprng_wipe(&value, sizeof(value));
	return result;
}

CPRNG_HOT void cprng_fast(void *buf, size_t len)
{
	cprng_draw_bytes(cprng_process(), buf, len);
}

CPRNG_HOT void cprng_fast_slow_1(void *buf, size_t len)
{
	struct cprng_process *p = cprng_process();

	if (CPRNG_HAVE_RESTARTABLE_DRAW && p->placement->restartable)
		(void)cprng_inlined_publish(p);
	cprng_draw_bytes(p, buf, len);
}

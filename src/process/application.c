/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/application.h"

#include "core/wipe.h"
#include "cpu/registers.h"
#include "engine/engine.h"
#include "process/entropy.h"

/* Copied at a time, on the caller's stack. */
enum { PIECE = 512 };

CPRNG_HOT void cprng_application_fill(uint8_t *dst, size_t len)
{
	uint8_t bytes[PIECE];

	for (size_t n; len > 0; dst += n, len -= n) {
		n = len < sizeof(bytes) ? len : sizeof(bytes);
		cprng_entropy_by_call(bytes, n);
		memcpy(dst, bytes, n);
	}
	cprng_wipe(bytes, sizeof(bytes));
	cprng_clear_registers();
}

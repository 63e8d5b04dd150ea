/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lib/wasm.js calls the library's functions directly.  This file adds memory for their arguments, and the layout of the fields that
 * lib/stream.js reads.
 */
#include <stddef.h>
#include <stdint.h>

#include <cprng/cprng.h>

static cprng_stream streams[2];
static unsigned char scratch[65536] __attribute__((aligned(16)));

/* The order is that in lib/wasm.js. */
const uint32_t *cprng_wasm_layout(void)
{
	static uint32_t values[7];

	values[0] = sizeof(cprng_stream);
	values[1] = offsetof(cprng_stream, buffer);
	values[2] = CPRNG_STREAM_BUFFER;
	values[3] = offsetof(cprng_stream, next);
	values[4] = (uint32_t)(uintptr_t)streams;
	values[5] = (uint32_t)(uintptr_t)scratch;
	values[6] = sizeof(scratch);
	return values;
}

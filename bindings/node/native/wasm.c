/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of WebAssembly's calls, and the layout that lib/stream.js and lib/wasm.js need. */
#include "calls.h"

/* lib/wasm.js erases it after each call. */
static struct {
	union value values[MOST_VALUES];
	char engine[NAME_SIZE];
	cprng_stream streams[2];
} given;
static unsigned char scratch[65536] __attribute__((aligned(16)));

/* The order is that in lib/wasm.js. */
const uint32_t *cprng_wasm_layout(void)
{
	static uint32_t layout[10];
	const uintptr_t values[] = {
		sizeof(cprng_stream),     offsetof(cprng_stream, buffer),
		CPRNG_STREAM_BUFFER,      offsetof(cprng_stream, next),
		(uintptr_t)given.values,  (uintptr_t)given.engine,
		(uintptr_t)given.streams, (uintptr_t)scratch,
		sizeof(scratch),          (uintptr_t)cprng_node_calls,
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		layout[i] = (uint32_t)values[i];
	return layout;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/aliasing.h"

/* How many of the lines that are loaded alias one of the `stored` bytes from this offset on. */
static size_t aliases_at(size_t offset, const void *const *loaded, size_t n, size_t stored)
{
	size_t aliases = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t line = (uintptr_t)loaded[i] / CPRNG_ALIAS_LINE * CPRNG_ALIAS_LINE;

		aliases += (line - offset) % CPRNG_ALIAS_PAGE < stored;
	}
	return aliases;
}

size_t cprng_offset_without_aliases(const void *const *loaded, size_t n, size_t stored)
{
	size_t best = 0, fewest = n + 1;

	for (size_t offset = 0; offset < CPRNG_ALIAS_PAGE && fewest > 0; offset += CPRNG_ALIAS_LINE) {
		const size_t aliases = aliases_at(offset, loaded, n, stored);

		if (aliases < fewest) {
			best = offset;
			fewest = aliases;
		}
	}
	return best;
}

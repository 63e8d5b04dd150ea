/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/choices.h"

/* Move v[at] down in the heap of the first count elements, until no child of it is larger. */
CPRNG_CLEARS static void sift(uint64_t *v, size_t at, size_t count)
{
	const uint64_t value = v[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && v[child + 1] > v[child])
			child++;
		if (v[child] <= value)
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = value;
}

CPRNG_CLEARS void cprng_sort_u64(uint64_t *v, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(v, i, count);
	for (size_t last = count; last-- > 1;) {
		const uint64_t largest = v[0];

		v[0] = v[last];
		v[last] = largest;
		sift(v, 0, last);
	}
}

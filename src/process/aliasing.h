/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 4K aliasing.  A CPU compares a load with the stores under way by the low 12 bits of their addresses first.  On an AMD
 * Zen 3 a load that has those of such a store waits for it, in one pair of pages of some sixteen, and the next loads of the
 * same instruction wait as well: draws in a loop took 3.1 ns in place of 2.2, as long as the process lived (0032).
 */
#ifndef CPRNG_PROCESS_ALIASING_H
#define CPRNG_PROCESS_ALIASING_H

#include "core/port.h"

enum {
	CPRNG_ALIAS_PAGE = 4096, /* 2^12, whatever the system's page is */
	CPRNG_ALIAS_LINE = 64,
};

/*
 * Return an offset from the start of a page, a multiple of CPRNG_ALIAS_LINE below CPRNG_ALIAS_PAGE: the least at which
 * `stored` bytes, fewer than a page, alias none of the lines in which the n addresses lie that every draw loads from.  Where
 * there is no such offset it is one with the fewest of them.
 */
size_t cprng_offset_without_aliases(const void *const *loaded, size_t n, size_t stored);

#endif

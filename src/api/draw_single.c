/* SPDX-License-Identifier: BSD-2-Clause */
/* Single choices and UUIDs from draws, and the tables of weights. */
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "numbers/single.h"
#include "os/os.h"

#include <errno.h>

CPRNG_INLINE uint32_t single_draw32(void *none)
{
	(void)none;
	return cprng_fast32();
}

CPRNG_INLINE uint64_t single_draw64(void *none)
{
	(void)none;
	return cprng_fast64();
}

/* Return the index of the next weight that is above the mean, or of the next that is not; count if there is none. */
static uint64_t next_weight(const uint64_t *weights, uint64_t count, uint64_t sum, uint64_t from, bool large)
{
	while (from < count && (weights[from] * count > sum) != large)
		from++;
	return from;
}

/*
 * Vose's method as a sweep without lists (L. Huebschle-Schneider and P. Sanders, "Parallel weighted random sampling", 2022,
 * doi:10.1145/3549934).  Entry i has count * weights[i] units, and each of the count columns has room for `sum`: as many in all.
 * A small entry, with at most a column of units, fills its own column as far as it can, and the current large entry the rest.
 * Once at most a column of units is left of that one, they go to its own column, and the next large entry fills the rest.
 *
 * While more than a column is left of a large entry, there is a small one: otherwise it and the next large entries, with more
 * than a column each, would have more units than there is room for in their columns.  When no large entry is left, the remaining
 * entries have at most a column each, and as many units in all as their columns: so each has exactly a column.
 */
static void fill_table(struct cprng_alias *table, const uint64_t *weights, uint64_t count, uint64_t sum)
{
	uint64_t small = next_weight(weights, count, sum, 0, false), large = next_weight(weights, count, sum, 0, true);
	uint64_t left = large < count ? weights[large] * count : 0;

	for (uint64_t i = 0; i < count; i++)
		table[i] = (struct cprng_alias){ sum, i };
	while (large < count) {
		if (left > sum) {
			table[small] = (struct cprng_alias){ weights[small] * count, large };
			left -= sum - table[small].share;
			small = next_weight(weights, count, sum, small + 1, false);
		} else {
			const uint64_t filled = large;

			large = next_weight(weights, count, sum, large + 1, true);
			if (large == count)
				break;
			table[filled] = (struct cprng_alias){ left, large };
			left += weights[large] * count - sum;
		}
	}
}

int cprng_weights_init(cprng_weights *w, struct cprng_alias *table, const uint64_t *weights, size_t count)
{
	uint64_t sum = 0, most;

	if (w == NULL)
		return CPRNG_ERR_ARGUMENT;
	memset(w, 0, sizeof(*w));
	if (table == NULL || weights == NULL || count == 0)
		return CPRNG_ERR_ARGUMENT;
	most = UINT64_MAX / count;
	for (size_t i = 0; i < count; i++) {
		if (weights[i] > most - sum)
			return CPRNG_ERR_ARGUMENT;
		sum += weights[i];
	}
	if (sum == 0)
		return CPRNG_ERR_ARGUMENT;
	fill_table(table, weights, count, sum);
	*w = (cprng_weights){ table, count, sum, count * sum, 0 };
	w->refused = (w->bound <= UINT32_MAX ? (uint32_t)-w->bound : -w->bound) % w->bound;
	return CPRNG_OK;
}

CPRNG_CLEARS size_t cprng_weighted(const cprng_weights *w)
{
	uint64_t column, unit;

	if (CPRNG_UNLIKELY(w == NULL || w->count == 0))
		cprng_os_die(CPRNG_NO_WEIGHTS, 0);
	column = cprng_choose_column(single_draw32, single_draw64, NULL, w->count, w->sum, w->bound, w->refused, &unit);
	return (size_t)cprng_choose_owner(unit < w->table[column].share, column, w->table[column].other);
}

CPRNG_CLEARS void cprng_uuid4(uint8_t out[16])
{
	cprng_fast(out, 16);
	cprng_uuid_mark(out, 4);
}

/*
 * Event:    another thread or a signal handler makes a UUID of version 7 at the same time, or the clock steps back.
 * Reason:   two could have the same stamp, or the later one a lower stamp.
 * Pairing:  each takes its stamp by an atomic exchange with the one after the last.  The random bits are drawn last, so that a
 *           child that a handler forks before has other ones.
 */
CPRNG_CLEARS int cprng_uuid7(uint8_t out[16])
{
	static cprng_atomic64 the_stamp;
	uint64_t milliseconds, last = __atomic_load_n(&the_stamp, __ATOMIC_RELAXED), stamp, start;
	const long error = cprng_os_unix_milliseconds(&milliseconds);

	if (error < 0) {
		errno = (int)-error;
		return CPRNG_ERR_SYSTEM;
	}
	start = cprng_fast16();
	do {
		stamp = milliseconds < CPRNG_UUID_TIME_END ? cprng_uuid_next_stamp(last, milliseconds, start) :
							     UINT64_MAX;
		if (stamp >> CPRNG_UUID_COUNTER_BITS >= CPRNG_UUID_TIME_END)
			return CPRNG_ERR_RANGE;
	} while (!__atomic_compare_exchange_n(&the_stamp, &last, stamp, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	cprng_uuid_put_time(out, stamp >> CPRNG_UUID_COUNTER_BITS);
	out[6] = (uint8_t)(stamp >> 8);
	out[7] = (uint8_t)stamp;
	cprng_fast(out + 8, 8);
	cprng_uuid_mark(out, 7);
	return CPRNG_OK;
}

/* By arithmetic: a table would be read at places that the UUID chooses. */
CPRNG_INLINE char hex_digit(unsigned int value)
{
	return (char)('0' + value + (((9 - value) >> 8) & ('a' - '0' - 10)));
}

CPRNG_CLEARS void cprng_uuid_text(char out[37], const uint8_t uuid[16])
{
	for (unsigned int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = hex_digit(uuid[i] >> 4);
		*out++ = hex_digit(uuid[i] & 15);
	}
	*out = '\0';
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * residue: served bytes are nowhere in the process's memory once the caller has erased them.
 *
 * The kernel is part of the process: its buffers, stacks and freed memory are searched with the rest.  The test keeps served bytes
 * only as their sum with a mask, so that the search does not find its own copies.
 */
#include <fcntl.h>
#include <inttypes.h>

#include "netbsd.h"

enum { ROUNDS = 400, LAST = 300, SIZE_MAX_TRIED = 4096, TABLE = 1 << 20, RANGES_MAX = 256 };

#define MASK 0x243f6a8885a308d3u

static const size_t sizes[] = { 8, 16, 24, 64, 65, 256, 4095, 4096 };

/* A hash table with open addressing; an entry of 0 is free. */
static uint64_t noted[TABLE];
static size_t notes;

static size_t place_of(uint64_t masked)
{
	return (size_t)((masked * 0x9e3779b97f4a7c15u) >> 44);
}

static void note(uint64_t masked)
{
	size_t at = place_of(masked);

	demand(notes++ < TABLE / 4, "room for notes");
	while (noted[at] != 0)
		at = (at + 1) % TABLE;
	noted[at] = masked;
}

static int is_noted(uint64_t masked)
{
	size_t at = place_of(masked);

	for (; noted[at] != 0; at = (at + 1) % TABLE) {
		if (noted[at] == masked)
			return 1;
	}
	return 0;
}

static uint64_t load(const volatile uint8_t *p)
{
	return *(const volatile uint64_t *)p;
}

static void serve(size_t size)
{
	static volatile uint8_t served[SIZE_MAX_TRIED + 8];
	size_t i;

	(void)rumpns_cprng_fast((void *)served, size);
	for (i = 0; i + 8 <= size; i += size > 256 ? 512 : 8)
		note(load(served + i) ^ MASK);
	note(load(served + size - 8) ^ MASK);
	for (i = 0; i < size; i++)
		served[i] = 0;
}

/* Returns the number of places that have any eight of the served bytes. */
static size_t search(const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *p;
	size_t found = 0;

	for (p = begin; p + 8 <= end; p++) {
		if (p < (const uint8_t *)noted || p >= (const uint8_t *)(noted + TABLE))
			found += (size_t)is_noted(load(p) ^ MASK);
	}
	return found;
}

static struct range {
	uint8_t *begin, *end;
} ranges[RANGES_MAX];
static size_t range_count;

/* All memory that the process may write. */
static void find_ranges(void)
{
	FILE *const maps = fopen("/proc/self/maps", "r");
	char line[512], access[5];
	uint64_t begin, end;

	demand(maps != NULL, "/proc/self/maps");
	while (fgets(line, sizeof(line), maps) != NULL) {
		demand(sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) == 3, line);
		if (access[0] != 'r' || access[1] != 'w')
			continue;
		demand(range_count < RANGES_MAX, "room for ranges");
		ranges[range_count++] = (struct range){ (uint8_t *)(uintptr_t)begin, (uint8_t *)(uintptr_t)end };
	}
	(void)fclose(maps);
}

static void serve_all(void)
{
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		note(rumpns_cprng_fast64() ^ MASK);
		note(((uint64_t)rumpns_cprng_fast32() | (uint64_t)rumpns_cprng_fast32() << 32) ^ MASK);
		serve(sizes[i % (sizeof(sizes) / sizeof(sizes[0]))]);
	}
	/* Only the last bytes of a buffer that keeps them are still there: the next refill overwrites it. */
	for (i = 0; i < LAST; i++)
		note(rumpns_cprng_fast64() ^ MASK);
}

int main(void)
{
	size_t found = 0, searched = 0, i;

	start_kernel();
	rump_schedule();
	/* After one draw the kernel has its memory.  Between the draws and the search nothing uses the stack. */
	serve_all();
	find_ranges();
	serve_all();
	for (i = 0; i < range_count; i++)
		found += search(ranges[i].begin, ranges[i].end);
	for (i = 0; i < range_count; i++)
		searched += (size_t)(ranges[i].end - ranges[i].begin);
	printf("notes %zu searched %zu found %zu\n", notes, searched, found);
	finish(found != 0);
}

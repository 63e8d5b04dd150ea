/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for Windows.  Checks the known answers at each alignment of the stack, that no value of eight threads is repeated,
 * and the placement.  Prints the library's description.  Exit status 0 on success.  With the argument "draw" it only draws a
 * value: if the system refuses random bytes, the library ends the process.
 */
#include "../../support/plain_checks.h"

#include <string.h>
#include <windows.h>

/* False alarms: (2 * 10^5)^2 / 2^65 = 10^-9. */
enum { WRITERS = 8, EACH = 25000 };

static uint64_t drawn[WRITERS * EACH];

static DWORD WINAPI draw(void *to)
{
	draw_values(to, EACH);
	return 0;
}

/* Calls code that may use vectors, with the stack moved by this many bytes: Windows aligns it to 16, but gcc may need 64. */
static __attribute__((noinline)) void with_stack_at(size_t offset)
{
	static double numbers[1000];
	static float floats[1000];
	static uint32_t bounded[1000];
	static uint64_t integers[1000];
	volatile char *const moved = (volatile char *)__builtin_alloca(offset);

	moved[0] = 0;
	require_known_answers();
	cprng_fast(numbers, sizeof(numbers));
	cprng_strong(numbers, sizeof(numbers));
	require(cprng_fill_float(floats, 1000) == 0 && cprng_fill_double(numbers, 1000) == 0, "no numbers");
	require(cprng_fill_normal(numbers, 1000, 0, 1) == 0 && cprng_fill_exponential(numbers, 1000, 1) == 0,
		"no distributions");
	require(cprng_fill_uniform32(bounded, 1000, 6) == 0 && cprng_fill_range64(integers, 1000, 1, 6) == 0,
		"no integers");
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	HANDLE thread[WRITERS];

	if (argc == 2 && strcmp(argv[1], "draw") == 0) {
		(void)cprng_fast64();
		return 0;
	}
	for (size_t offset = 16; offset <= 64; offset += 16)
		with_stack_at(offset);
	for (int i = 0; i < WRITERS; i++) {
		thread[i] = CreateThread(NULL, 0, draw, drawn + i * EACH, 0, NULL);
		require(thread[i] != NULL, "no thread");
	}
	require(WaitForMultipleObjects(WRITERS, thread, TRUE, INFINITE) == WAIT_OBJECT_0, "a thread is lost");
	cprng_get_info(&info, sizeof(info));
	printf("placement %s, fork guard %s, entropy %s, %s/%s, version %s\n", info.placement, info.fork_guard,
	       info.entropy, info.engine, info.backend, cprng_version());
	require(strcmp(info.placement, "slots") == 0, "the placement is another one");
	require_distinct(drawn, WRITERS * EACH);
	return 0;
}

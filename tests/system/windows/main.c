/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for Windows: known answers; values of eight threads, none of which repeats; the placement.  Prints
 * what the library says of itself.  Exit status 0 on success.  With the argument "draw" it draws a value and nothing else: where the
 * system refuses random bytes, the library ends the process.
 */
#include "../../support/plain_checks.h"

#include <string.h>
#include <windows.h>

/* A repeat by chance: (2 * 10^5)^2 / 2^65 = 10^-9. */
enum { WRITERS = 8, EACH = 25000 };

static uint64_t drawn[WRITERS * EACH];

static DWORD WINAPI draw(void *to)
{
	draw_values(to, EACH);
	return 0;
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	HANDLE thread[WRITERS];

	if (argc == 2 && strcmp(argv[1], "draw") == 0) {
		(void)cprng_fast64();
		return 0;
	}
	require_known_answers();
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for any C library.  Checks the known answers; that no value is repeated among threads, a parent and its child; and
 * that the bytes of requests of each constant size are uniform and independent.  Exit status 0 on success.  The argument is the
 * expected placement, with ", inlined" if draws are inlined.
 */
#include "../../support/constant_sizes.h"
#include "../../support/plain_checks.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* False alarms, a repeat among 200000 values: (2 * 10^5)^2 / 2^65 = 10^-9. */
enum { WRITERS = 4, EACH = 50000 };

static uint64_t *drawn;

static void *draw_in_thread(void *values)
{
	draw_values(values, EACH);
	return NULL;
}

/*
 * Each bit of a request is 1 in about half of the requests, and each two bytes of a request are equal about as often as by
 * chance.  Limits and false alarms: 7 standard deviations for the bits, 64 * 65 / 2 * 8 * 3 * 10^-12 = 5 * 10^-8; 16 times the
 * mean for equal bytes, which is far less probable.
 */
enum { REQUESTS = 1024, BIT_OFF = 7 * 16, EQUAL_MOST = 16 * REQUESTS / 256 };

static void check_size(size_t len)
{
	int ones[64][8] = { { 0 } }, equal[64][64] = { { 0 } };
	unsigned char bytes[65];

	for (int i = 0; i < REQUESTS; i++) {
		bytes[len] = 0xa5;
		constant_sizes[len - 1](bytes);
		require(bytes[len] == 0xa5, "a byte beyond a request is written");
		for (size_t at = 0; at < len; at++) {
			for (int bit = 0; bit < 8; bit++)
				ones[at][bit] += bytes[at] >> bit & 1;
			for (size_t other = 0; other < at; other++)
				equal[at][other] += bytes[at] == bytes[other];
		}
	}
	for (size_t at = 0; at < len; at++) {
		for (int bit = 0; bit < 8; bit++)
			require(abs(ones[at][bit] - REQUESTS / 2) <= BIT_OFF, "a byte of a request is not uniform");
		for (size_t other = 0; other < at; other++)
			require(equal[at][other] <= EQUAL_MOST, "a byte of a request repeats another one");
	}
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	char placement[40];
	pthread_t thread[2];
	int status = -1;
	pid_t child;

	drawn = mmap(NULL, WRITERS * EACH * sizeof(*drawn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(drawn != MAP_FAILED, "no memory");
	require_known_answers();
	cprng_get_info(&info, sizeof(info));
	snprintf(placement, sizeof(placement), "%s%s", info.placement, cprng_draw_1.buffers != NULL ? ", inlined" : "");
	printf("placement %s, fork guard %s, entropy %s, %s/%s\n", placement, info.fork_guard, info.entropy,
	       info.engine, info.backend);
	require(argc == 2 && strcmp(placement, argv[1]) == 0, "the placement is another one");

	for (size_t len = 1; len <= 64; len++)
		check_size(len);
	for (int i = 0; i < 2; i++)
		require(pthread_create(&thread[i], NULL, draw_in_thread, drawn + i * EACH) == 0, "no thread");
	child = fork();
	require(child >= 0, "no fork");
	if (child == 0) {
		draw_values(drawn + 2 * EACH, EACH);
		_exit(0);
	}
	draw_values(drawn + 3 * EACH, EACH);
	for (int i = 0; i < 2; i++)
		require(pthread_join(thread[i], NULL) == 0, "a thread is lost");
	require(waitpid(child, &status, 0) == child && status == 0, "the child has failed");

	require_distinct(drawn, WRITERS * EACH);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arandom FILE MIB WAYS: the loop of NetBSD's benchmark: requests of 256 bytes until MIB are read, in WAYS concurrent
 * processes; prints the seconds until the last has ended.  A sysctl returns the bytes as 512 digits.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int loop(const char *name, long requests)
{
	const size_t request = strncmp(name, "/proc/", 6) == 0 ? 512 : 256;
	const int fd = open(name, O_RDONLY);
	uint8_t buf[512];

	if (fd < 0)
		return 1;
	while (requests-- > 0) {
		if (pread(fd, buf, request, 0) != (ssize_t)request)
			return 1;
	}
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const long requests = argc == 4 ? atol(argv[2]) * 4096 : 0, ways = argc == 4 ? atol(argv[3]) : 0;
	const double begin = now();
	int status, failed = requests <= 0 || ways <= 0;

	for (long i = 0; i < ways; i++) {
		const pid_t pid = fork();

		if (pid == 0)
			_exit(loop(argv[1], requests));
		failed |= pid < 0;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	printf("%s: %ld MiB %ld ways %.2f s\n", argc > 1 ? argv[1] : "", requests / 4096, ways, now() - begin);
	return failed;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * later FILE SECONDS COUNT: reads 64-bit words from FILE repeatedly, and prints, as one line, the first COUNT requested
 * when the clock stood at SECONDS or later, that is, after a machine's sleep.  Below /proc they are text.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 1024 };

static int read_word(int fd, int is_text, uint64_t *word)
{
	char text[17] = "";

	if (!is_text)
		return pread(fd, word, sizeof(*word), 0) == (ssize_t)sizeof(*word);
	return pread(fd, text, 16, 0) == 16 && sscanf(text, "%16" SCNx64, word) == 1;
}

int main(int argc, char **argv)
{
	const int fd = argc == 4 ? open(argv[1], O_RDONLY) : -1;
	const long long seconds = argc == 4 ? atoll(argv[2]) : 0;
	const int is_text = argc == 4 && strncmp(argv[1], "/proc/", 6) == 0;
	const int count = argc == 4 ? atoi(argv[3]) : 0;
	static char line[COUNT_MAX * 17 + 16];
	int end = snprintf(line, sizeof(line), "later");
	struct timespec now;
	uint64_t word;

	if (fd < 0 || count <= 0 || count > COUNT_MAX) {
		perror("later FILE SECONDS COUNT");
		return 2;
	}
	for (int i = 0; i < count;) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (!read_word(fd, is_text, &word))
			return 1;
		if (now.tv_sec < seconds)
			continue;
		end += snprintf(line + end, sizeof(line) - (size_t)end, " %016" PRIx64, word);
		i++;
	}
	line[end++] = '\n';
	/* In one write, since others write to the same console. */
	return write(STDOUT_FILENO, line, (size_t)end) != end;
}

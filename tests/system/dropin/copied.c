/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library to preload: it makes fork(3) create a clone of the process that nothing reports, like a checkpoint that is restored
 * twice.  The child has all memory of the parent, including memory that a fork wipes or omits, one thread, and the same number
 * from getpid(3); no handler of pthread_atfork(3) runs.  Both stay on one CPU, and draw from its buffer.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t number;

__attribute__((constructor)) static void start(void)
{
	number = (pid_t)syscall(SYS_getpid);
}

pid_t getpid(void)
{
	return number;
}

/*
 * The kernel still wipes the vDSO's states (getrandom): so another mapping with their content replaces them, as after a checkpoint.
 */
static bool keep(void *at, size_t len)
{
	void *content;

	if (madvise(at, len, MADV_KEEPONFORK) == 0)
		return true;
	content = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (content == MAP_FAILED)
		return false;
	memcpy(content, at, len);
	return mremap(content, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

struct range {
	uintptr_t begin, end;
	bool wiped, absent;
};

/* Read completely before any mapping changes, because the changes would also change the list. */
static size_t find(struct range *found, size_t most)
{
	FILE *list = fopen("/proc/self/smaps", "re");
	char line[512];
	unsigned long begin = 0, end = 0, b, e;
	size_t count = 0;

	if (list == NULL)
		return 0;
	while (count < most && fgets(line, sizeof(line), list) != NULL) {
		if (strncmp(line, "VmFlags:", 8) == 0) {
			struct range range = { begin, end, strstr(line, " wf") != NULL, strstr(line, " dc") != NULL };

			/* Not devices, nor mappings of the kernel. */
			if ((range.wiped || range.absent) && strstr(line, " io") == NULL && strstr(line, " pf") == NULL)
				found[count++] = range;
		} else if (sscanf(line, "%lx-%lx ", &b, &e) == 2) {
			begin = b;
			end = e;
		}
	}
	fclose(list);
	return count;
}

pid_t fork(void)
{
	static struct range ranges[4096];
	const size_t count = find(ranges, sizeof(ranges) / sizeof(ranges[0]));
	size_t wiped = 0;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
	for (size_t i = 0; i < count; i++) {
		void *const at = (void *)ranges[i].begin;
		const size_t len = ranges[i].end - ranges[i].begin;

		if ((ranges[i].wiped && !keep(at, len)) || (ranges[i].absent && madvise(at, len, MADV_DOFORK) != 0)) {
			perror("copied");
			abort();
		}
		wiped += ranges[i].wiped;
	}
	/* Otherwise there would be nothing to find. */
	if (wiped == 0) {
		fprintf(stderr, "copied: nothing is wiped on a fork\n");
		abort();
	}
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

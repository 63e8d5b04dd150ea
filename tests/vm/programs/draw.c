/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draw KIND THREADS [FILE]: draw continuously from several threads until the test requests the end.  Every output is
 * recorded in memory that the test outside can read.  The test compares the draws from before and after the machine or
 * process was saved and restored.
 *
 * KIND   fast      16 bytes by a call
 *        inlined   64 bits by the inlined draw, twice
 *        long      1024 bytes, from a one-time key: the first 16 are recorded
 *        strong    16 bytes of Fortuna
 *
 * draw mark FILE LIMIT COMMAND EVENTS: write to the FILE of a stopped drawing process what the test writes to a device.
 * draw put FILE NUMBER: show the file to the test as the copy with this number.
 *
 * With the prefix "unbuffered-" of a kind, pages cannot be wiped, so the library does not buffer.
 */
#define _GNU_SOURCE
#include "shared.h"

#include <cprng/cprng.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static struct shared *shared;
static void (*draw)(uint8_t *bytes);

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *what, ...)
{
	va_list arguments;

	va_start(arguments, what);
	vprintf(what, arguments);
	va_end(arguments);
	printf(": %s\n", strerror(errno));
	fflush(stdout);
	_exit(1);
}

static void draw_fast(uint8_t *bytes)
{
	cprng_fast(bytes, 16);
}

static void draw_inlined(uint8_t *bytes)
{
	const uint64_t values[2] = { cprng_fast64(), cprng_fast64() };

	memcpy(bytes, values, sizeof(values));
}

static void draw_long(uint8_t *bytes)
{
	uint8_t request[1024];

	cprng_fast(request, sizeof(request));
	memcpy(bytes, request, 16);
}

static void draw_strong(uint8_t *bytes)
{
	cprng_strong(bytes, 16);
}

static const struct {
	const char *name;
	void (*draw)(uint8_t *bytes);
} kinds[] = {
	{ "fast", draw_fast },
	{ "inlined", draw_inlined },
	{ "long", draw_long },
	{ "strong", draw_strong },
};

/* Stamps are CPU counter values, because reading the clock is a system call in an emulated machine. */
static uint64_t stamp(void)
{
	return __rdtsc();
}

static void invalidate(void)
{
	cprng_invalidate();
	__atomic_store_n(&shared->head.invalidated, stamp(), __ATOMIC_RELEASE);
}

/* The test outside writes while the machine is stopped, so each word is read whole. */
static int is_commanded(enum shared_command command)
{
	uint32_t expected = command;

	return __atomic_load_n(&shared->head.command, __ATOMIC_RELAXED) == (uint32_t)command &&
	       __atomic_compare_exchange_n(&shared->head.command, &expected, SHARED_GO_ON, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static int has_happened(uint32_t events)
{
	const struct shared_head *const head = &shared->head;

	return (!(events & SHARED_NOTICED) || __atomic_load_n(&head->noticed, __ATOMIC_ACQUIRE) != 0) &&
	       (!(events & SHARED_INVALIDATED) || __atomic_load_n(&head->invalidated, __ATOMIC_ACQUIRE) != 0);
}

static void *draw_and_record(void *arg)
{
	const size_t thread = (size_t)arg;
	struct shared_head *const head = &shared->head;
	uint64_t end = UINT64_MAX;

	for (uint64_t count = 0; count != end; count++) {
		struct shared_record *r = &shared->records[thread][count % SHARED_RECORDS];
		const uint64_t limit = __atomic_load_n(&head->limit, __ATOMIC_ACQUIRE);

		if (limit != 0 && end == UINT64_MAX && has_happened(head->awaited))
			end = count + limit;
		if (is_commanded(SHARED_INVALIDATE))
			invalidate();
		r->stamp = stamp();
		r->index = count;
		draw(r->bytes);
		__atomic_store_n(&head->count[thread], count + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void set_clock(int which)
{
	shared->head.nanoseconds[which] = nanoseconds();
	shared->head.stamps[which] = stamp();
}

/* The kernel's message when it has noticed that it is a clone (drivers/char/random.c). */
static void *watch_kernel(void *arg)
{
	const int fd = *(const int *)arg;
	const struct sched_param first = { .sched_priority = 1 };
	char message[8192];

	/* Real-time priority: other threads use all CPU time, and this must measure the kernel, not the scheduler. */
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0)
		die("no real-time priority");
	for (;;) {
		ssize_t n = read(fd, message, sizeof(message) - 1);

		if (n < 0 && errno == EPIPE)
			continue; /* messages were overwritten before they were read */
		if (n <= 0)
			die("/dev/kmsg");
		message[n] = '\0';
		if (strstr(message, "due to virtual machine fork") == NULL)
			continue;
		__atomic_store_n(&shared->head.noticed, stamp(), __ATOMIC_RELEASE);
		if (is_commanded(SHARED_INVALIDATE_WHEN_NOTICED))
			invalidate();
	}
}

/* Memory regions with MADV_WIPEONFORK, as the kernel reports them. */
static int wiped_regions(void)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	int regions = 0;

	if (file == NULL)
		die("/proc/self/smaps");
	while (fgets(line, sizeof(line), file) != NULL)
		regions += strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " wf") != NULL;
	fclose(file);
	return regions;
}

static void refuse_advice(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		die("no seccomp filter");
}

/* The ivshmem device's memory: its third region, and the resource file that may be mapped write-combining. */
static const char *device_memory(void)
{
	static char path[256];
	glob_t found;

	if (glob("/sys/bus/pci/devices/*/resource2_wc", 0, NULL, &found) != 0 || found.gl_pathc != 1)
		die("no device, or more than one, with shared memory");
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}

static void *map_shared(const char *path, size_t copy)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0)
		die("%s", path);
	memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(copy * sizeof(*shared)));
	if (memory == MAP_FAILED)
		die("%s: mmap", path);
	close(fd);
	return memory;
}

static void mark(char **arguments)
{
	struct shared_head *head;

	shared = map_shared(arguments[0], 0);
	head = &shared->head;
	memcpy(head->mark, head->count, sizeof(head->mark));
	head->limit = strtoull(arguments[1], NULL, 10);
	head->command = (uint32_t)strtoul(arguments[2], NULL, 10);
	head->awaited = (uint32_t)strtoul(arguments[3], NULL, 10);
}

int main(int argc, char **argv)
{
	static const char unbuffered[] = "unbuffered-";
	const char *kind = argc > 1 ? argv[1] : "";
	const size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	pthread_t thread[SHARED_THREADS_MAX], watcher;
	struct cprng_info info;
	static int kmsg;

	if (argc == 6 && strcmp(kind, "mark") == 0) {
		mark(argv + 2);
		return 0;
	}
	if (argc == 4 && strcmp(kind, "put") == 0) {
		memcpy(map_shared(device_memory(), strtoul(argv[3], NULL, 10)), map_shared(argv[2], 0),
		       sizeof(*shared));
		return 0;
	}
	if (threads == 0 || threads > SHARED_THREADS_MAX)
		die("draw KIND THREADS [FILE]");
	if (strncmp(kind, unbuffered, strlen(unbuffered)) == 0) {
		refuse_advice();
		kind += strlen(unbuffered);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i].name) == 0)
			draw = kinds[i].draw;
	}
	if (draw == NULL)
		die("unknown kind: %s", kind);
	shared = map_shared(argc > 3 ? argv[3] : device_memory(), 0);
	if (argc <= 3) {
		kmsg = open("/dev/kmsg", O_RDONLY | O_CLOEXEC);
		if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0 ||
		    pthread_create(&watcher, NULL, watch_kernel, &kmsg) != 0)
			die("/dev/kmsg");
	}
	cprng_get_info(&info, sizeof(info));
	shared->head.threads = (uint32_t)threads;
	set_clock(0);
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, draw_and_record, (void *)i) != 0)
			die("pthread_create");
	printf("drawing: %s, %s; %d regions are wiped on a fork\n", info.placement, info.entropy, wiped_regions());
	fflush(stdout);
	for (size_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	set_clock(1);
	printf("drawn; %d regions are wiped on a fork\n", wiped_regions());
	return 0;
}

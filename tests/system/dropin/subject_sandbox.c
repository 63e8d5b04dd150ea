/* SPDX-License-Identifier: BSD-2-Clause */
/* Sandboxes that the program enters without knowing the library. */
#include "subject.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void install(struct sock_filter *filter, unsigned short length)
{
	const struct sock_fprog program = { .len = length, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		fail("seccomp");
}

#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)
#define IF_NUMBER(number, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)

void refuse_getrandom(int error)
{
	struct sock_filter filter[] = {
		LOAD_NUMBER,
		IF_NUMBER(SYS_getrandom, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	install(filter, sizeof(filter) / sizeof(filter[0]));
}

/* getrandom fails from here on: a child, which needs new keys, must not draw. */
void refused(void)
{
	const struct rlimit no_core = { 0, 0 };
	unsigned char value[VALUE];

	(void)setrlimit(RLIMIT_CORE, &no_core);
	for (unsigned int i = 0; i < 8; i++)
		draw_value(value, i);
	refuse_getrandom(EPERM);
	for (unsigned int i = 0; i < 4; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			draw_value(value, i);
			print_value(value);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			fail("fork");
		printf("child %u: signal %d, exit %d\n", i, WTERMSIG(status), WEXITSTATUS(status));
	}
}

static pthread_barrier_t barrier;

static void *wait_and_draw(void *nothing)
{
	unsigned char value[VALUE];

	(void)nothing;
	prepare_thread();
	/* Started; filter installed; drawn; the end is never reached, because a thread's end makes other calls. */
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	prepare_thread();
	/* Enough for refills of each thread's slot. */
	for (unsigned int i = 0; i < 5000; i++)
		draw_value(value, i);
	print_value(value);
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	return NULL;
}

/* Before the first draw, all calls except those of a drawing and writing program are fatal; then threads and a child draw. */
void sandboxed(void)
{
	enum { THREADS = 8 };
	pthread_t thread[THREADS];
	struct sock_filter filter[] = {
		LOAD_NUMBER,
		IF_NUMBER(SYS_getrandom, SECCOMP_RET_ALLOW),
		IF_NUMBER(SYS_write, SECCOMP_RET_ALLOW),
		IF_NUMBER(SYS_futex, SECCOMP_RET_ALLOW),
		/* The calls of a first draw after a fork (docs/dropins.md). */
		IF_NUMBER(SYS_rt_sigprocmask, SECCOMP_RET_ALLOW),
		IF_NUMBER(SYS_getpid, SECCOMP_RET_ALLOW),
		IF_NUMBER(SYS_gettid, SECCOMP_RET_ALLOW),
		IF_NUMBER(SYS_exit_group, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	int status;
	pid_t child;

	child = fork();
	if (child > 0) {
		if (waitpid(child, &status, 0) != child)
			fail("waitpid");
		printf("signal %d, exit %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status));
		return;
	}
	(void)pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, wait_and_draw, NULL) != 0)
			fail("pthread_create");
	}
	(void)pthread_barrier_wait(&barrier);
	/* For all threads (SECCOMP_FILTER_FLAG_TSYNC). */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		    &(struct sock_fprog){ .len = sizeof(filter) / sizeof(filter[0]), .filter = filter }) != 0)
		fail("seccomp");
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	_exit(0);
}

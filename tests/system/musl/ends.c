/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of threads that have drawn, in a process whose C library registers no restartable sequences: detached, while handlers
 * draw, in destructors of other keys, by pthread_exit() in the first thread, by execve(2).  A thread that is still registered
 * with the kernel when musl has unmapped its memory ends the process with SIGSEGV.  Also tests the end of a process that gets no
 * random bytes, or no memory.  Arguments: the number of detached threads, the expected placement, and the library's name for the
 * source of its bytes.
 */
#include "../../support/plain_checks.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 32 };

static pthread_key_t before, after, last;
static unsigned int running, handled;

static void draw(void)
{
	unsigned char bytes[40] = { 0 };
	unsigned int any = 0;

	for (int i = 0; i < 20; i++)
		require(cprng_fast64() != cprng_fast64(), "a value was drawn twice");
	cprng_fast(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		any |= bytes[i];
	require(any != 0, "zeros");
}

static void draw_at_end(void *rounds)
{
	draw();
	if (rounds > (void *)1)
		(void)pthread_setspecific(after, (char *)rounds - 1);
}

/* Draw only in the last round of destructors, after the library's own. */
static void draw_in_last_round(void *rounds)
{
	if (rounds > (void *)1)
		(void)pthread_setspecific(last, (char *)rounds - 1);
	else
		draw();
}

static void handler(int signal)
{
	(void)signal;
	draw();
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

/* The bits of a thread's number choose what it does. */
static void *run(void *number)
{
	const size_t kind = (size_t)number;

	if ((kind & 1) != 0)
		draw();
	if ((kind & 2) != 0)
		require(pthread_setspecific(before, (void *)1) == 0, "no value");
	/* Some destructors run in every round. */
	if ((kind & 4) != 0)
		require(pthread_setspecific(after, (void *)8) == 0, "no value");
	if ((kind & 8) != 0)
		require(pthread_setspecific(last, (void *)PTHREAD_DESTRUCTOR_ITERATIONS) == 0, "no value");
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void start(size_t kind)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) >= AT_ONCE)
		continue;
	__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
	require(pthread_attr_init(&attributes) == 0, "no attributes");
	require(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0, "not detached");
	while ((error = pthread_create(&thread, &attributes, run, (void *)kind)) == EAGAIN)
		continue;
	require(error == 0, "no thread");
	(void)pthread_attr_destroy(&attributes);
}

static void wait_for_all(void)
{
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0)
		usleep(1000);
	usleep(10000);
}

static void *outlive(void *unused)
{
	(void)unused;
	usleep(20000);
	draw();
	exit(0);
}

static void end_first_thread(void)
{
	pthread_t thread;

	draw();
	require(pthread_create(&thread, NULL, outlive, NULL) == 0, "no thread");
	pthread_exit(NULL);
}

/* Defined here, since musl-gcc may lack the kernel's headers. */
#ifdef __x86_64__
enum { RSEQ = 334 };
#else
enum { RSEQ = 293 };
#endif

static void refuse(unsigned int number, unsigned int error)
{
	struct {
		unsigned short code;
		unsigned char if_true, if_false;
		unsigned int k;
	} const filter[] = {
		{ 0x20, 0, 0, 0 }, { 0x15, 0, 1, number }, { 6, 0, 0, 0x50000 | error }, { 6, 0, 0, 0x7fff0000 }
	};
	const struct {
		unsigned short len;
		const void *filter;
	} program = { 4, filter };

	require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no privileges to give up");
	require(prctl(PR_SET_SECCOMP, 2, &program, 0, 0) == 0, "no filter");
}

static void *end_in_sandbox(void *unused)
{
	draw();
	refuse(RSEQ, EPERM);
	return unused;
}

static void *execute(void *program)
{
	draw();
	execl(program, program, "0", "any", "", (char *)NULL);
	return NULL;
}

static void refuse_memory(void)
{
	const struct rlimit none = { 0, 0 };

	require(setrlimit(RLIMIT_AS, &none) == 0, "no limit");
}

/* The process cannot open a random device either. */
static void refuse_entropy(void)
{
	const struct rlimit none = { 0, 0 };

	require(setrlimit(RLIMIT_NOFILE, &none) == 0, "no limit");
	refuse(SYS_getrandom, ENOSYS);
}

/* The first draw aborts the process; it writes this line and nothing else. */
static void first_draw_says(void (*refuse_something)(void), const char *line)
{
	char said[200] = { 0 };
	int ends[2], status = -1;
	pid_t child;

	require(pipe(ends) == 0, "no pipe");
	child = fork();
	require(child >= 0, "no fork");
	if (child == 0) {
		require(dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(ends[1], STDERR_FILENO) >= 0, "no descriptor");
		refuse_something();
		(void)cprng_fast64();
		_exit(0);
	}
	(void)close(ends[1]);
	require(waitpid(child, &status, 0) == child, "no child");
	require(read(ends[0], said, sizeof(said) - 1) >= 0, "nothing to read");
	(void)close(ends[0]);
	if (strcmp(said, line) != 0)
		fprintf(stderr, "%sis said instead of\n%s", said, line);
	require(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strcmp(said, line) == 0, "no promised end");
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = handler };
	struct cprng_info info;
	char line[100];
	sigset_t alarms;
	pthread_t thread;
	int status = -1;
	pid_t child;

	require(argc == 4, "three arguments");
	if (strcmp(argv[2], "any") != 0) {
		snprintf(line, sizeof(line), "cprng: no random numbers from the %s: error %d\n", argv[3], ENOSYS);
		first_draw_says(refuse_entropy, line);
		first_draw_says(refuse_memory, "cprng: no memory\n");
	}
	require(pthread_key_create(&before, draw_at_end) == 0, "no key");
	draw();
	require(pthread_key_create(&after, draw_at_end) == 0, "no key");
	require(pthread_key_create(&last, draw_in_last_round) == 0, "no key");
	if (strcmp(argv[2], "any") == 0)
		return 0;
	cprng_get_info(&info, sizeof(info));
	require(strcmp(info.placement, argv[2]) == 0, "the placement is another one");

	for (long i = 0; i < atol(argv[1]); i++)
		start(1);
	wait_for_all();

	/* The first thread blocks alarms, so the threads that end get them all. */
	require(sigaction(SIGALRM, &action, NULL) == 0, "no handler");
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	require(setitimer(ITIMER_REAL, &often, NULL) == 0, "no timer");
	for (long i = 0; i < atol(argv[1]) / 4; i++) {
		require(pthread_sigmask(SIG_UNBLOCK, &alarms, NULL) == 0, "not unblocked");
		start((size_t)(i % 16));
		require(pthread_sigmask(SIG_BLOCK, &alarms, NULL) == 0, "not blocked");
	}
	wait_for_all();
	require(setitimer(ITIMER_REAL, &never, NULL) == 0, "no timer");
	require(handled != 0 || atol(argv[1]) < 1000, "no handler ran");

	child = fork();
	require(child >= 0, "no fork");
	if (child == 0)
		end_first_thread();
	require(waitpid(child, &status, 0) == child && status == 0, "the first thread's end is another's");
	child = fork();
	require(child >= 0, "no fork");
	if (child == 0) {
		require(pthread_create(&thread, NULL, execute, argv[0]) == 0, "no thread");
		pthread_join(thread, NULL);
		_exit(1);
	}
	require(waitpid(child, &status, 0) == child && status == 0, "the program was not executed");
	child = fork();
	require(child >= 0, "no fork");
	if (child == 0) {
		require(pthread_create(&thread, NULL, end_in_sandbox, NULL) == 0, "no thread");
		pthread_join(thread, NULL);
		_exit(0);
	}
	require(waitpid(child, &status, 0) == child, "no child");
#ifdef __GLIBC__
	require(status == 0, "a sandbox ends a thread that glibc keeps");
#else
	require(strcmp(argv[2], "per-cpu") != 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT),
		"a thread ends registered");
#endif
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hog CPU COMMAND [ARGUMENT...]: runs COMMAND on other CPUs while a real-time process occupies CPU; exits with COMMAND's status.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void spin(int cpu, atomic_int *is_there)
{
	const struct sched_param highest = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here) != 0 || sched_setscheduler(0, SCHED_FIFO, &highest) != 0)
		die("hog");
	for (;;)
		atomic_store(is_there, 1);
}

int main(int argc, char **argv)
{
	atomic_int *is_there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int cpu = argc > 2 ? atoi(argv[1]) : -1;
	pid_t hog, command;
	int status;
	cpu_set_t others;

	if (cpu < 0 || is_there == MAP_FAILED)
		die("hog CPU COMMAND...");
	sched_getaffinity(0, sizeof(others), &others);
	CPU_CLR(cpu, &others);
	if (sched_setaffinity(0, sizeof(others), &others) != 0)
		die("hog");
	hog = fork();
	if (hog == 0)
		spin(cpu, is_there);
	if (hog < 0) /* as a receiver of signals, all processes */
		die("hog");
	while (atomic_load(is_there) == 0 && waitpid(hog, &status, WNOHANG) == 0)
		;
	command = fork();
	if (command == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(command, &status, 0) != command)
		status = 1;
	/* Already gone, so it could not have occupied the CPU. */
	if (kill(hog, SIGKILL) != 0 || waitpid(hog, NULL, 0) != hog || atomic_load(is_there) == 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

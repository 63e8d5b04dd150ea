// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include "run.hpp"
#include "internals.hpp"

#include "os/own_area.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ_AREA 1
#endif
#endif

bool machine::emulated()
{
	// An advice that no kernel accepts.
	static const bool yes = [] {
		void *page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		const bool taken = page != MAP_FAILED && madvise(page, 4096, -1) == 0;
		if (page != MAP_FAILED)
			munmap(page, 4096);
		return taken;
	}();
	return yes;
}

const std::vector<int> &machine::cpus()
{
	static const std::vector<int> all = [] {
		std::vector<int> v;
		cpu_set_t set;
		if (sched_getaffinity(0, sizeof(set), &set) == 0) {
			for (int i = 0; i < CPU_SETSIZE; i++) {
				if (CPU_ISSET(i, &set))
					v.push_back(i);
			}
		}
		return v;
	}();
	return all;
}

bool machine::pin(pid_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(thread, sizeof(set), &set) == 0;
}

long machine::preemptions()
{
	rusage usage;

	REQUIRE(getrusage(RUSAGE_THREAD, &usage) == 0);
	return usage.ru_nivcsw;
}

void machine::unpin()
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu : cpus())
		CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

pid_t machine::thread_id()
{
	return static_cast<pid_t>(syscall(SYS_gettid));
}

pid_t machine::raw_fork(unsigned long extra_flags)
{
	const unsigned long flags = extra_flags | SIGCHLD;
#if defined(__s390__)
	const long pid = syscall(SYS_clone, 0, flags, 0, 0, 0);
#else
	const long pid = syscall(SYS_clone, flags, 0, 0, 0, 0);
#endif
	return static_cast<pid_t>(pid < 0 ? -errno : pid);
}

int machine::status_of(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	return status;
}

bool machine::ended_well(pid_t pid)
{
	const int status = status_of(pid);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	MESSAGE("child: " << describe_status(status));
	return false;
}

std::string machine::describe_status(int status)
{
	if (WIFEXITED(status))
		return "exit status " + std::to_string(WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		return std::string("signal ") + strsignal(WTERMSIG(status));
	return "status " + std::to_string(status);
}

std::uint64_t machine::open_sequence()
{
#ifdef HAVE_RSEQ_AREA
	if (__rseq_size != 0) {
		const char *area = static_cast<const char *>(__builtin_thread_pointer()) + __rseq_offset;
		std::uint64_t pointer;
		std::memcpy(&pointer, area + 8, sizeof(pointer));
		return pointer;
	}
#endif
	return cprng_os_own_area()->rseq_cs;
}

void *machine::shared_memory(std::size_t len)
{
	void *p = mmap(nullptr, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		std::abort();
	return p;
}

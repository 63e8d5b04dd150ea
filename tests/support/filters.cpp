// SPDX-License-Identifier: BSD-2-Clause
#include "filters.hpp"

#include "scenario.hpp"

#include <csignal>
#include <cstddef>
#include <cstdio>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

void install(const std::vector<struct sock_filter> &filter)
{
	struct sock_fprog program = { static_cast<unsigned short>(filter.size()),
				      const_cast<struct sock_filter *>(filter.data()) };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		_exit(scenario::unavailable);
}

struct sock_filter load(std::size_t at)
{
	return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned int>(at));
}

// The low half of an argument.
struct sock_filter load_argument(std::size_t n)
{
	return load(offsetof(struct seccomp_data, args) + n * 8 + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0));
}

struct sock_filter load_number()
{
	return load(offsetof(struct seccomp_data, nr));
}

// Applies `action` to one call; all others are allowed.
void meet(unsigned int number, unsigned int action)
{
	install({
		load_number(),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	});
}

void tell(int, siginfo_t *info, void *)
{
	// Do not use dprintf(): it may need memory, and the filter may refuse that.
	char line[64];
	const int len = std::snprintf(line, sizeof(line), "system call %d is not in the list\n", info->si_syscall);
	_exit(write(STDERR_FILENO, line, static_cast<std::size_t>(len)) == len ? filters::reported : 2);
}

} // namespace

void filters::refuse(unsigned int number, unsigned int error)
{
	meet(number, SECCOMP_RET_ERRNO | error);
}

void filters::refuse_first(unsigned int number, unsigned int first, unsigned int error)
{
	install({
		load_number(),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		load_argument(0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	});
}

void filters::trap(unsigned int number)
{
	meet(number, SECCOMP_RET_TRAP);
}

void filters::allow_only(const std::vector<long> &numbers, unsigned int action)
{
	std::vector<struct sock_filter> filter = { load_number() };

	for (long number : numbers) {
		filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned int>(number), 0, 1));
		filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	}
	filter.push_back(BPF_STMT(BPF_RET | BPF_K, action));
	install(filter);
}

void filters::report_others(const std::vector<long> &numbers)
{
	struct sigaction action = {};

	action.sa_sigaction = tell;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGSYS, &action, nullptr);
	allow_only(numbers, SECCOMP_RET_TRAP);
}

void filters::no_flags(unsigned int number)
{
	install({
		load_number(),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 2),
		load_argument(2),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	});
}

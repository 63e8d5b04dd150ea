// SPDX-License-Identifier: BSD-2-Clause
// Single-stepping by x86-64's trap flag, with a SIGTRAP after each instruction.  Each test has its own handler.
#ifndef CPRNG_TESTS_STEPS_HPP
#define CPRNG_TESTS_STEPS_HPP

#if defined(__x86_64__)

#include <csignal>

#include <ucontext.h>
#include <x86intrin.h>

namespace steps {

constexpr unsigned long trap_flag = 0x100;

inline bool are_on()
{
	return (__readeflags() & trap_flag) != 0;
}

inline void begin()
{
	__writeeflags(__readeflags() | trap_flag);
}

inline void end()
{
	__writeeflags(__readeflags() & ~trap_flag);
}

// Calls f at full speed, then continues to step.  An event between the check and the end of stepping may leave it on after f.
template <typename Function, typename... Arguments> void skip(Function f, Arguments... arguments)
{
	const bool stepping = are_on();

	if (stepping)
		end();
	f(arguments...);
	if (stepping)
		begin();
}

// Called in the handler: ends stepping when the handler returns.
inline void begin_in(void *context)
{
	static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] |= static_cast<greg_t>(trap_flag);
}

inline void end_in(void *context)
{
	static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
}

// Installs the handler; other signals of the mask are blocked while it runs.  Returns SIGTRAP's previous disposition.
inline struct sigaction handle(void (*handler)(int, siginfo_t *, void *), const sigset_t &mask = {})
{
	struct sigaction action = {}, before = {};

	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO;
	action.sa_mask = mask;
	sigaction(SIGTRAP, &action, &before);
	return before;
}

} // namespace steps

#endif

#endif

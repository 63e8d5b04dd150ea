// SPDX-License-Identifier: BSD-2-Clause
// Kernel timers that signal a single thread.
#ifndef CPRNG_LAB_COMMON_THREAD_SIGNAL_HPP
#define CPRNG_LAB_COMMON_THREAD_SIGNAL_HPP

#include <csignal>

#include <sys/syscall.h>
#include <unistd.h>

namespace lab {

// The argument of timer_create() for signals to the calling thread.
inline struct sigevent signal_to_this_thread(int signal_number)
{
	const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
	struct sigevent event = {};

	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal_number;
#ifdef sigev_notify_thread_id
	event.sigev_notify_thread_id = thread;
#else
	event._sigev_un._tid = thread; // glibc before 2.39 has no name for it
#endif
	return event;
}

} // namespace lab

#endif

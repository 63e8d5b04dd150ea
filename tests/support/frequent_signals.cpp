// SPDX-License-Identifier: BSD-2-Clause
#include "frequent_signals.hpp"

#include "../../lab/common/thread_signal.hpp"
#include "sequences.hpp"
#include "machine.hpp"

#include <atomic>
#include <cerrno>

namespace {

// The program's initial-exec TLS, which is safe to read in a handler.
thread_local frequent_signals::Handler handler_of_thread;

void on_signal(int, siginfo_t *, void *context)
{
	const int saved_errno = errno;

	if (handler_of_thread != nullptr)
		handler_of_thread(sequences::was_cut(context));
	errno = saved_errno;
}

} // namespace

void frequent_signals::set_handler(Handler handler)
{
	struct sigaction action = {};

	handler_of_thread = handler;
	std::atomic_signal_fence(std::memory_order_seq_cst);
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, nullptr);
}

frequent_signals::Timer::Timer()
{
	struct sigevent event = lab::signal_to_this_thread(SIGUSR1);

	made = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

frequent_signals::Timer::~Timer()
{
	if (made)
		timer_delete(timer);
}

void frequent_signals::Timer::start(long nanoseconds)
{
	const struct itimerspec every = { { 0, nanoseconds }, { 0, nanoseconds } };

	if (made)
		timer_settime(timer, 0, &every, nullptr);
}

void frequent_signals::Timer::stop()
{
	const struct itimerspec never = {};

	if (made)
		timer_settime(timer, 0, &never, nullptr);
}

long frequent_signals::interval()
{
	// Handling a signal takes 2 to 3 us; an emulator that receives the next signal before that makes no progress.
	return machine::emulated() || CPRNG_TESTS_SANITIZED ? 1000000 : 15000;
}

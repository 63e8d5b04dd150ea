// SPDX-License-Identifier: BSD-2-Clause
// Signals at a high rate, which interrupt restartable sequences and everything else.
#ifndef CPRNG_TESTS_FREQUENT_SIGNALS_HPP
#define CPRNG_TESTS_FREQUENT_SIGNALS_HPP

#include <ctime>

namespace frequent_signals {

// Called in the handler; `cut` if the signal interrupted a restartable sequence, which the kernel has aborted.  (It
// moves the program counter to the abort address before it creates the signal's frame, and that address follows the
// signature registered by the C library.)
using Handler = void (*)(bool cut);

// The function that this thread's signals call; nullptr: none.
void set_handler(Handler handler);

// Periodic signals (real time) to the creating thread, from start() to stop().
class Timer {
public:
	Timer();
	~Timer();
	Timer(const Timer &) = delete;
	Timer &operator=(const Timer &) = delete;

	bool works() const
	{
		return made;
	}

	void start(long nanoseconds);
	void stop();

private:
	timer_t timer;
	bool made = false;
};

// A suitable interval for this machine.
long interval();

} // namespace frequent_signals

#endif

// SPDX-License-Identifier: BSD-2-Clause
// Signals at a high rate, to cut restartable sequences and everything else in the middle.
#ifndef CPRNG_TESTS_FREQUENT_SIGNALS_HPP
#define CPRNG_TESTS_FREQUENT_SIGNALS_HPP

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace frequent_signals {

// Called in the handler; `cut` when the signal found a restartable sequence under way, which the kernel has aborted.
// (It moves the program counter to the abort address before it makes the signal's frame, and that address follows the
// signature that the C library registered.)
using Handler = void (*)(bool cut);

// What the signals of this thread call; none when nullptr.
void set_handler(Handler handler);

// A stack of its own for the handlers of this thread, as long as it exists.
class AlternateStack {
public:
	AlternateStack();
	~AlternateStack();
	AlternateStack(const AlternateStack &) = delete;
	AlternateStack &operator=(const AlternateStack &) = delete;

private:
	std::vector<unsigned char> memory;
};

// Signals to the thread that makes it, every so many nanoseconds of real time, from start() to stop() on.
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
	// A single one.
	void once(long nanoseconds);
	void stop();

private:
	timer_t timer;
	bool made = false;
};

// A good interval for this machine.
long interval();

// Moves threads from CPU to CPU at random, until it is destroyed.
class Migrations {
public:
	explicit Migrations(const std::vector<pid_t> &threads);
	~Migrations();
	Migrations(const Migrations &) = delete;
	Migrations &operator=(const Migrations &) = delete;

private:
	std::atomic<bool> stop{ false };
	std::vector<pid_t> threads;
	std::thread mover;
};

} // namespace frequent_signals

#endif

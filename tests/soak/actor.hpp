// SPDX-License-Identifier: BSD-2-Clause
// A participating thread with its logs, signals and handlers.
#ifndef CPRNG_SOAK_ACTOR_HPP
#define CPRNG_SOAK_ACTOR_HPP

#include "logs.hpp"
#include "choices.hpp"

#include <csetjmp>
#include <csignal>
#include <memory>

#include <sys/types.h>

namespace soak {

// Shared by all participants of a round.
struct Round {
	Mix mix;
	std::uint64_t seed;
	long signal_interval; // in nanoseconds
	unsigned int jumps;   // number of handlers in 4096 that jump
};

// Signals from a kernel timer to one thread.  Uses system calls, because the C library's functions may allocate memory, which
// is forbidden in the child of a multithreaded process.
class Timer {
public:
	Timer() = default;
	Timer(const Timer &) = delete;
	Timer &operator=(const Timer &) = delete;
	~Timer();
	void start(int signal_number, long nanoseconds);

private:
	int timer_ = -1;
};

class Actor {
public:
	// A thread's levels: outside handlers, in a handler, in a nested handler.
	static constexpr int levels = 3;

	Actor(const Round &round, Kind kind, std::uint64_t number);
	~Actor();
	Actor(const Actor &) = delete;
	Actor &operator=(const Actor &) = delete;

	// Starts signals, handled on a separate stack.  With a jump target, some handlers do not return.
	void start_signals(sigjmp_buf *back);
	void stop_signals();
	// To be called after such a jump.
	void landed();

	// Continues as this actor in a forked child: new logs and choices, no signals until it starts its own, no jump target.
	void become_child(Kind kind);

	// Runs the draws; returns false after the round.  Handlers jump only out of this function.
	bool draw(unsigned long n);

	// Children forked by handlers may return to the interrupted code.  A caller that allows this must check `forked` after each
	// draw, and must allow it only during draws.
	void allow_returns(bool on)
	{
		returns_allowed_ = on;
	}

	volatile std::sig_atomic_t forked = 0, is_child = 0;

	// A child that a handler has made and the thread must wait for; 0: none.
	pid_t take_child();

	void close_logs();

	Log &log()
	{
		return logs_[0];
	}

	Choices &choices()
	{
		return dice_[0];
	}

	const Round round;

private:
	friend void on_signal(int, siginfo_t *, void *context);

	void handle(const void *context);
	void fork_here(int level);
	void open_logs(Kind kind);

	static constexpr std::size_t stack_size = std::size_t{ 128 } << 10, children_max = 32;

	Log logs_[levels];
	Choices dice_[levels];
	volatile std::sig_atomic_t level_ = 0;
	sigjmp_buf *volatile back_ = nullptr;
	volatile bool returns_allowed_ = false, jumps_allowed_ = false;
	volatile pid_t children_[children_max] = {};
	volatile std::sig_atomic_t children_made_ = 0, children_taken_ = 0;
	std::unique_ptr<unsigned char[]> stack_;
	Timer often_, seldom_;
};

// To be called once per program.
void install_handlers();

} // namespace soak

#endif

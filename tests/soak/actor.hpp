// SPDX-License-Identifier: BSD-2-Clause
// A participating thread: its logs, signals and handlers.
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
	long signal_interval; // nanoseconds
	unsigned int jumps;   // of 4096 handlers, how many jump
};

// Signals to one thread, from a kernel timer.  By system call, because the C library's functions may allocate memory,
// which the child of a multithreaded process must not.
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
	// A thread's levels: outside handlers, in one, in a nested one.
	static constexpr int levels = 3;

	Actor(const Round &round, Kind kind, std::uint64_t number);
	~Actor();
	Actor(const Actor &) = delete;
	Actor &operator=(const Actor &) = delete;

	// Start signals, on a separate stack.  With a jump target, some handlers do not return.
	void start_signals(sigjmp_buf *back);
	void stop_signals();
	// Call after such a jump.
	void landed();

	// Continue as this in a forked child: new logs and choices, no signals until it starts its own, no jump target.
	void become_child(Kind kind);

	// False after the round.  Handlers jump only out of this.
	bool draw(unsigned long n);

	// Children forked by handlers may return to the interrupted code.  A caller that allows that must check
	// `forked` after each draw, and allow only draws to be interrupted so.
	void allow_returns(bool on)
	{
		returns_allowed_ = on;
	}

	volatile std::sig_atomic_t forked = 0, is_child = 0;

	// A child made by a handler, for the thread to wait for; 0 for none.
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

// Once per program.
void install_handlers();

} // namespace soak

#endif

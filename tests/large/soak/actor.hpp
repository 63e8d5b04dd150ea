// SPDX-License-Identifier: BSD-2-Clause
// A thread that takes part: its logs, its signals and what their handlers do.
#ifndef CPRNG_SOAK_ACTOR_HPP
#define CPRNG_SOAK_ACTOR_HPP

#include "logs.hpp"
#include "choices.hpp"

#include <csetjmp>
#include <csignal>
#include <memory>

#include <sys/types.h>

namespace soak {

// What all participants of a round share.
struct Round {
	Mix mix;
	std::uint64_t seed;
	long signal_interval; // nanoseconds
	unsigned int jumps;   // out of so many handlers of 4096
};

// Signals to one thread, by a timer of the kernel's.  By system call: the C library's functions may allocate memory,
// which the child of a process with threads must not.
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
	// Levels of a thread: outside of handlers, in one, in one that has interrupted that.
	static constexpr int levels = 3;

	Actor(const Round &round, Kind kind, std::uint64_t number);
	~Actor();
	Actor(const Actor &) = delete;
	Actor &operator=(const Actor &) = delete;

	// Signals begin, on a stack of their own.  With a place to jump to, some handlers do not return.
	void start_signals(sigjmp_buf *back);
	void stop_signals();
	// After such a jump.
	void landed();

	// A child of fork or the like goes on as this: other logs, other choices, no signals until it starts its own, no place
	// to jump to.
	void become_child(Kind kind);

	// False when the round is over.  Handlers jump out of this alone.
	bool draw(unsigned long n);

	// Children that handlers fork may come back to what was interrupted.  A caller that allows that must look at
	// `forked` after each draw, and allow only draws to be interrupted so.
	void allow_returns(bool on)
	{
		returns_allowed_ = on;
	}

	volatile std::sig_atomic_t forked = 0, is_child = 0;

	// A child that a handler has made, for the thread to wait for; 0 for none.
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

// For the whole program, once.
void install_handlers();

} // namespace soak

#endif

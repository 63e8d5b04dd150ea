// SPDX-License-Identifier: BSD-2-Clause
// One shared state under a lock, as in NetBSD until 2014 (a spin mutex).
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_LOCKED_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_LOCKED_HPP

#include <atomic>
#include <mutex>

#include <pthread.h>
#include <sched.h>

#include "state.hpp"

namespace lab {

// The C library's mutex, for the threads of several processes.
class sleeping_lock {
public:
	sleeping_lock()
	{
		pthread_mutexattr_t attributes;
		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
		pthread_mutex_init(&mutex_, &attributes);
		pthread_mutexattr_destroy(&attributes);
	}

	~sleeping_lock()
	{
		pthread_mutex_destroy(&mutex_);
	}

	sleeping_lock(const sleeping_lock &) = delete;
	sleeping_lock &operator=(const sleeping_lock &) = delete;

	void lock()
	{
		pthread_mutex_lock(&mutex_);
	}

	void unlock()
	{
		pthread_mutex_unlock(&mutex_);
	}

private:
	pthread_mutex_t mutex_;
};

// In a kernel, a spin lock's holder is not interrupted.  Here it may be preempted for any time, so a waiting thread
// yields the CPU after a while; otherwise a machine with more threads than CPUs would measure time slices.
class spin_lock {
public:
	void lock()
	{
		while (locked_.exchange(true, std::memory_order_acquire))
			wait();
	}

	void unlock()
	{
		locked_.store(false, std::memory_order_release);
	}

private:
	[[gnu::noinline]] void wait()
	{
		constexpr int spins = 1000; // some microseconds: many draws of a running thread
		for (int i = 0; locked_.load(std::memory_order_relaxed); i++) {
			if (i >= spins)
				sched_yield();
#if defined(__x86_64__)
			__builtin_ia32_pause();
#elif defined(__aarch64__)
			__asm__ volatile("isb");
#endif
		}
	}

	std::atomic<bool> locked_{ false };
};

template <typename Engine, typename Lock> class locked {
public:
	static constexpr const char *placement = "one state, locked";

	locked(std::uint64_t seed, std::int64_t limit) : keying_{ seed, limit }
	{
		restart();
	}

	void restart()
	{
		state_.begin(keying_, 0);
	}

	std::uint32_t next32()
	{
		const std::lock_guard<Lock> guard(lock_);
		return state_.next32(keying_, 0);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		if constexpr (detaches<Engine>::value) {
			if (len > Engine::short_max) {
				lock_.lock();
				auto own = state_.detach(len, keying_, 0);
				lock_.unlock();
				own.fill(out, len);
				return;
			}
		}
		const std::lock_guard<Lock> guard(lock_);
		state_.fill(out, len, keying_, 0);
	}

	std::uint64_t keys() const
	{
		return state_.number + 1u;
	}

	memory_of memory() const
	{
		return { &state_, sizeof(state_), sizeof(Engine) };
	}

private:
	keying keying_;
	state<Engine> state_;
	Lock lock_;
};

} // namespace lab

#endif

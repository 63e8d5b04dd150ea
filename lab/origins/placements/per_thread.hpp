// SPDX-License-Identifier: BSD-2-Clause
// A state per thread: no exclusion is needed, but there are as many states as threads.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_PER_THREAD_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_PER_THREAD_HPP

#include <deque>
#include <mutex>

#include "state.hpp"

namespace lab {

// A signal handler must not draw: it may have interrupted the thread during a step.
template <typename Engine> class per_thread {
public:
	static constexpr const char *placement = "a state a thread";

	per_thread(std::uint64_t seed, std::int64_t limit) : keying_{ seed, limit }
	{
	}

	void restart()
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		std::uint32_t index = 0;
		for (state<Engine> &s : states_)
			s.begin(keying_, index++);
	}

	std::uint32_t next32()
	{
		const user u = mine();
		return u.own->next32(keying_, u.index);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		const user u = mine();
		if constexpr (detaches<Engine>::value) {
			if (len > Engine::short_max) {
				u.own->detach(len, keying_, u.index).fill(out, len);
				return;
			}
		}
		u.own->fill(out, len, keying_, u.index);
	}

	std::uint64_t keys() const
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		std::uint64_t sum = 0;
		for (const state<Engine> &s : states_)
			sum += s.number + 1u;
		return sum;
	}

	// The first thread's state.
	memory_of memory() const
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		return { states_.empty() ? nullptr : &states_.front(), states_.empty() ? 0 : sizeof(states_.front()),
			 sizeof(Engine) };
	}

private:
	struct user {
		std::uint64_t owner; // the placement's serial number, since addresses are reused
		state<Engine> *own;
		std::uint32_t index;
	};

	user mine()
	{
		static thread_local user last = {};
		if (__builtin_expect(last.owner != serial_, 0))
			last = first();
		return last;
	}

	// A thread that alternates between two placements gets a new state each time, which the lab never does.
	[[gnu::noinline, gnu::cold]] user first()
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		const auto index = static_cast<std::uint32_t>(states_.size());
		states_.emplace_back().begin(keying_, index);
		return { serial_, &states_.back(), index };
	}

	static std::uint64_t next_serial()
	{
		static std::atomic<std::uint64_t> last{ 0 };
		return ++last;
	}

	keying keying_;
	std::uint64_t serial_ = next_serial();
	mutable std::mutex mutex_;
	std::deque<state<Engine>> states_;
};

} // namespace lab

#endif

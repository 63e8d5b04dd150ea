// SPDX-License-Identifier: BSD-2-Clause
// A state per CPU, claimed for each draw: NetBSD's form since 2014, with a claim instead of disabled interrupts.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_PER_CPU_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_PER_CPU_HPP

#include <algorithm>

#include <sched.h>
#include <sys/sysinfo.h>

#include "claim.hpp"
#include "state.hpp"

namespace lab {

// With restartable sequences the first states belong to CPUs.  The spare states after them serve a thread that finds
// its CPU's state claimed, by a preempted thread or by the thread that it interrupted as a signal handler.  An atomic
// exchange claims spare states, and all states where there are no sequences.  No thread waits while a state is free.
template <typename Engine> class per_cpu {
public:
	static constexpr const char *placement = "a state a CPU";

	per_cpu(std::uint64_t seed, std::int64_t limit)
	    : keying_{ seed, limit }, cpus_(static_cast<std::uint32_t>(get_nprocs_conf())),
	      all_(cpus_ + std::max(cpus_, spare_least)), own_(claim::available() ? cpus_ : 0), states_(all_)
	{
		for (std::uint32_t i = 0; i < all_; i++)
			states_[i].claimed = 0;
		restart();
	}

	void restart()
	{
		for (std::uint32_t i = 0; i < all_; i++)
			states_[i].begin(keying_, i);
	}

	std::uint32_t next32()
	{
		const std::uint32_t i = take();
		const std::uint32_t value = states_[i].next32(keying_, i);
		release(i);
		return value;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		const std::uint32_t i = take();
		if constexpr (detaches<Engine>::value) {
			if (len > Engine::short_max) {
				auto own = states_[i].detach(len, keying_, i);
				release(i);
				own.fill(out, len);
				return;
			}
		}
		states_[i].fill(out, len, keying_, i);
		release(i);
	}

	std::uint64_t keys() const
	{
		std::uint64_t sum = 0;
		for (std::uint32_t i = 0; i < all_; i++)
			sum += states_[i].number + 1u;
		return sum;
	}

	memory_of memory() const
	{
		return { &states_[0], cpus_ * sizeof(state<Engine>), sizeof(Engine) };
	}

private:
	// Enough that many preemptions or nested handlers seldom exhaust them.
	static constexpr std::uint32_t spare_least = 8;

	// A separate byte to the compiler, because the sequence modifies it unseen.
	unsigned char *claims()
	{
		static_assert(sizeof(states_[0].claimed) == 1);
#ifdef LAB_RESTARTABLE_CLAIM
		// Without sequences it may use a lock: on RISC-V, gcc 12 calls libatomic for bytes.
		static_assert(std::atomic<unsigned char>::is_always_lock_free);
#endif
		return reinterpret_cast<unsigned char *>(&states_[0].claimed);
	}

	std::uint32_t take()
	{
		std::uint32_t cpu;
		if (__builtin_expect(own_ != 0 && claim::this_cpu(claims(), sizeof(state<Engine>), own_, &cpu), 1))
			return cpu;
		return take_spare();
	}

	[[gnu::noinline, gnu::cold]] std::uint32_t take_spare()
	{
		const std::uint32_t spare = all_ - own_;
		const int hint = own_ == 0 ? sched_getcpu() : 0;
		const std::uint32_t begin = hint < 0 ? 0 : static_cast<std::uint32_t>(hint) % spare;
		for (;;) {
			for (std::uint32_t n = 0; n < spare; n++) {
				const std::uint32_t i = own_ + (begin + n) % spare;
				if (states_[i].claimed.load(std::memory_order_relaxed) == 0 &&
				    states_[i].claimed.exchange(1, std::memory_order_acquire) == 0)
					return i;
			}
			sched_yield();
		}
	}

	void release(std::uint32_t i)
	{
		states_[i].claimed.store(0, std::memory_order_release);
	}

	keying keying_;
	std::uint32_t cpus_, all_;
	std::uint32_t own_; // the number of CPUs' states, which sequences claim; may be 0
	shared_array<state<Engine>> states_;
};

} // namespace lab

#endif

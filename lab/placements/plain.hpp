// SPDX-License-Identifier: BSD-2-Clause
// One shared state and nothing around it: plain loads and stores, no lock, no claim, no atomics.  For one thread alone:
// two that draw are a race in the meaning of the language.  It is what a draw of an engine costs before any placement is
// paid for, and so what the other placements are measured by.
#ifndef CPRNG_LAB_PLACEMENTS_PLAIN_HPP
#define CPRNG_LAB_PLACEMENTS_PLAIN_HPP

#include "state.hpp"

namespace lab {

template <typename Engine> class plain {
public:
	static constexpr const char *placement = "one state, plain";

	plain(std::uint64_t seed, std::int64_t limit) : keying_{ seed, limit }
	{
		restart();
	}

	void restart()
	{
		state_.begin(keying_, 0);
	}

	std::uint32_t next32()
	{
		return state_.next32(keying_, 0);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		if constexpr (detaches<Engine>::value) {
			if (len > Engine::short_max) {
				state_.detach(len, keying_, 0).fill(out, len);
				return;
			}
		}
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
};

} // namespace lab

#endif

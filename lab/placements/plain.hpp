// SPDX-License-Identifier: BSD-2-Clause
// One shared state and nothing around it: plain loads and stores, no lock, no claim, no atomics.  For one thread alone:
// two that draw are a race in the meaning of the language.  It is what a draw of an engine costs before any placement is
// paid for, and so what the other placements are measured by.
#ifndef CPRNG_LAB_PLACEMENTS_PLAIN_HPP
#define CPRNG_LAB_PLACEMENTS_PLAIN_HPP

#include "locked.hpp"

namespace lab {

struct no_lock {
	void lock()
	{
	}

	void unlock()
	{
	}
};

template <typename Engine> class plain : public locked<Engine, no_lock> {
public:
	static constexpr const char *placement = "one state, plain";

	using locked<Engine, no_lock>::locked;
};

} // namespace lab

#endif

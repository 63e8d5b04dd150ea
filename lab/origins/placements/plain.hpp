// SPDX-License-Identifier: BSD-2-Clause
// One state with plain loads and stores: no lock, claim or atomics.  For a single thread it is an engine's draw without
// any placement's cost, and so the reference for other placements.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_PLAIN_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_PLAIN_HPP

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

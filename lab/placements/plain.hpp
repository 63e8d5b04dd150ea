// SPDX-License-Identifier: BSD-2-Clause
// One state with plain loads and stores: no lock, claim or atomics.  For a single thread it is an engine's draw without
// any placement's cost, and so the reference for other placements.
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

// The same state for several threads: NetBSD's form before 2012, which was wrong.
//
// This is a data race, on purpose.  It was measured in 2014 as plain memory, and surprised by being slower than a lock:
// the compiler may keep, merge and reorder its loads and stores as it likes, which atomics would forbid, so any repair
// would measure something else.  Two threads can receive the same bytes.  RC4's indices are bytes, so no load or store
// leaves the state; other engines have no such guarantee.  state.cpp exempts it from the thread sanitizer.  Measure it,
// never use it.
template <typename Engine> class unlocked : public locked<Engine, no_lock> {
public:
	static constexpr const char *placement = "one state, not locked";

	using locked<Engine, no_lock>::locked;
};

} // namespace lab

#endif

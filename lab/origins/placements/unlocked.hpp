// SPDX-License-Identifier: BSD-2-Clause
// One shared state without a lock, in plain memory: NetBSD's form before 2012, which was wrong.
//
// This is a data race, on purpose.  The thread of 2014 measured it as plain memory, and was surprised that it is slower than
// a lock.  The compiler may keep, merge and reorder plain loads and stores as it likes, which atomics would forbid, so
// any repair would measure something else.  Two threads can receive the same bytes.  RC4's indices are bytes, so no
// access leaves the state; other engines have no such guarantee.  Measure it, never use it.
//
// The thread sanitizer knows this file by its name (state.cpp): all accesses pass through functions of this file.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_UNLOCKED_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_UNLOCKED_HPP

#include "plain.hpp"

namespace lab {

template <typename Engine> class unlocked : public plain<Engine> {
public:
	static constexpr const char *placement = "one state, not locked";

	using plain<Engine>::plain;

	std::uint32_t next32()
	{
		return plain<Engine>::next32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		plain<Engine>::fill(out, len);
	}
};

} // namespace lab

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "xoshiro.hpp"

#include <cprng/cprng.h>

namespace {

xoshiro256pp seeded()
{
	xoshiro256pp state;
	cprng_fast(state.s, sizeof(state.s));
	return state;
}

} // namespace

xoshiro256pp xoshiro_state = seeded();

__attribute__((noinline)) std::uint64_t xoshiro_call()
{
	return xoshiro_state.next();
}

// SPDX-License-Identifier: BSD-2-Clause
// The functions that this program replaces in the library (seams.cpp), and the loop that all its tests share.
#ifndef CPRNG_TESTS_LENGTHS_SEAMS_HPP
#define CPRNG_TESTS_LENGTHS_SEAMS_HPP

#include "../../../support/internals.hpp"
#include "../../../support/machine.hpp"
#include "../../../support/filled.hpp"

#define _Static_assert static_assert
extern "C" {
#include "process/lengths.h"
#include "process/fortuna_object.h"
}
#undef _Static_assert

#include <cstddef>
#include <string>
#include <vector>

namespace seams {

extern bool wiping_refused;
extern unsigned long fortuna_reads, kernel_reads; // calls so far

} // namespace seams

namespace lengths {

// Two of the largest pieces and the beginning of a third; several pieces of the smaller sizes.
constexpr std::size_t most = 2 * std::size_t{ ONE_KEY_MAX } + 100;

// All lengths up to `last`.  On slow platforms: all short ones, and those around multiples of each limit.
inline std::vector<std::size_t> up_to(std::size_t last)
{
	std::vector<std::size_t> v;

	for (std::size_t len = 0; len <= last; len++) {
		bool wanted = !machine::slow() || len <= 300;
		for (std::size_t limit :
		     { std::size_t{ CPRNG_SHORT_MAX }, std::size_t{ ONE_KEY_MAX }, std::size_t{ UNBUFFERED_MAX },
		       std::size_t{ READ_MAX }, std::size_t{ CPRNG_STREAMING_MIN },
		       std::size_t{ CPRNG_REKEY_BLOCKS_AES } * 16 })
			wanted = wanted || (len + 1) % limit <= 2;
		if (wanted)
			v.push_back(len);
	}
	return v;
}

// Tests each length at addresses aligned for vectors, for none, and in between.  Stops at the first wrong one, and returns false.
inline bool check(const std::string &what, const filled::Call &call, std::size_t last = most)
{
	filled::Memory memory(last);
	REQUIRE(memory.is_there());
	INFO(what);

	for (std::size_t len : up_to(last)) {
		for (std::size_t offset : { std::size_t{ 0 }, std::size_t{ 1 }, 16 + 16 * (len % 3), 2 + len % 61 }) {
			const std::string fault = filled::fault(memory, call, len, offset);
			CHECK(fault == "");
			if (!fault.empty())
				return false;
		}
	}
	return true;
}

} // namespace lengths

#endif

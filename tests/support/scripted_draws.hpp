// SPDX-License-Identifier: BSD-2-Clause
// The inline functions of <cprng/draw.h>, compiled over a source of chosen values: what they do with each value a draw
// can give is then a matter of arithmetic and not of odds.
#ifndef CPRNG_TESTS_SCRIPTED_DRAWS_HPP
#define CPRNG_TESTS_SCRIPTED_DRAWS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scripted {

// The draws to come.  When they run out, used() goes on counting and draws are zero.
void set(const std::vector<std::uint64_t> &values);
std::size_t used();

std::uint32_t uniform32(std::uint32_t bound);
double real();

} // namespace scripted

#endif

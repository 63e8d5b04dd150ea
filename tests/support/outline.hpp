// SPDX-License-Identifier: BSD-2-Clause
// The draws as library functions, not inlined.
#ifndef CPRNG_TESTS_OUTLINE_HPP
#define CPRNG_TESTS_OUTLINE_HPP

#include <cstddef>
#include <cstdint>

namespace outline {

void fast(void *buf, std::size_t len);
std::uint8_t fast8();
std::uint16_t fast16();
std::uint32_t fast32();
std::uint64_t fast64();

} // namespace outline

#endif

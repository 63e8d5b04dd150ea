// SPDX-License-Identifier: BSD-2-Clause
// Draws before main and after exit: another run of this program, which does nothing else.
#ifndef CPRNG_TESTS_LIFETIME_HPP
#define CPRNG_TESTS_LIFETIME_HPP

namespace lifetime {

extern const char argument[];
int main();

} // namespace lifetime

#endif

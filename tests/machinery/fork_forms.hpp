// SPDX-License-Identifier: BSD-2-Clause
// The same program, started to draw and to write what it drew.
#ifndef CPRNG_TESTS_FORK_FORMS_HPP
#define CPRNG_TESTS_FORK_FORMS_HPP

namespace spawned {

extern const char argument[];

int main();

} // namespace spawned

#endif

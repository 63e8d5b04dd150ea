// SPDX-License-Identifier: BSD-2-Clause
// Which file of sequences known_answers.cpp plays.
#ifndef CPRNG_TESTS_FORTUNA_REPLAY_HPP
#define CPRNG_TESTS_FORTUNA_REPLAY_HPP

#include <string>

namespace replay {

extern std::string file;
extern bool played; // so that a run that played nothing does not pass for a success

} // namespace replay

#endif

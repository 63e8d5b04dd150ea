// SPDX-License-Identifier: BSD-2-Clause
// Two methods of finding timing that depends on a secret.
#ifndef CPRNG_TESTS_CT_HPP
#define CPRNG_TESTS_CT_HPP

#include <cstdint>
#include <string>

#include "subject.hpp"

namespace lab::ct {

// Runs the subject with its key marked as undefined: valgrind's memcheck then reports every branch and address that
// depends on it.  The code runs in functions named ct_key and ct_keystream, whose names tell the reports apart.  Throws
// lab::failure without valgrind, and if the output is not marked at the end, since then nothing would be detected.
void examine_memory(subject &of);

// Key set-up; keystream with warm caches; a short keystream after the state was flushed from the caches, whose time depends
// on the cache lines read.
enum class work { key, keystream, cold };

struct timing {
	double t = 0;            // the largest |t| of all tests
	double difference = 0;   // between the class means in that test, in nanoseconds (0 for the squares)
	std::string test;        // its name
	std::uint64_t count = 0; // number of measurements
};

// Available if the processor has a flush instruction.
bool can_flush();

// dudect's method (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?", 2017): a fixed key and random keys
// in random order, and Welch's t-test on the times.  The seconds are CPU time.
timing examine_time(subject &of, work what, double seconds);

} // namespace lab::ct

#endif

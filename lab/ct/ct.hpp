// SPDX-License-Identifier: BSD-2-Clause
// The two ways to look for a secret in the timing.
#ifndef CPRNG_LAB_CT_CT_HPP
#define CPRNG_LAB_CT_CT_HPP

#include <cstdint>
#include <string>

#include "subject.hpp"

namespace lab::ct {

// Runs the subject with its key marked as undefined: valgrind's memcheck then reports every branch on it and every
// address made of it.  What runs is in functions called ct_key and ct_keystream, which tell the reports apart.  Throws
// a lab::failure when not under valgrind, or when the marks do not come out at the end: then it would see nothing.
void examine_memory(subject &of);

// Key set-up; keystream with everything in the caches; a little keystream after the state was thrown out of them, when
// it shows which of its lines are read.
enum class work { key, keystream, cold };

struct timing {
	double t = 0;            // the largest |t| of all tests
	double difference = 0;   // of the means of the classes in that test, in nanoseconds (of the squares: 0)
	std::string test;        // which it is
	std::uint64_t count = 0; // measurements
};

// Where the processor has an instruction for it.
bool can_flush();

// dudect's method (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?", 2017): a fixed key and random ones
// in random turn, and Welch's t-test on the times.  The seconds are of CPU time.
timing examine_time(subject &of, work what, double seconds);

} // namespace lab::ct

#endif

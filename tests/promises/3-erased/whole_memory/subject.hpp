// SPDX-License-Identifier: BSD-2-Clause
// A process that makes draws of every kind and stops after each for its examiner.
#ifndef CPRNG_TESTS_SUBJECT_HPP
#define CPRNG_TESTS_SUBJECT_HPP

#include "channel.hpp"

namespace subject {

extern const char argument[];     // as first argument of the program, makes it a subject
constexpr int not_available = 77; // exit status: this processor cannot run the backend

// The hooks that seams.cpp installs in the library.
struct Seams {
	channel::Shared *shared = nullptr;
	bool madvise_refused = false;
	std::uint32_t seconds_ahead = 0;
};
extern Seams seams;

void log(channel::Kind kind, const void *bytes, std::size_t len);
// From now on every cipher call of the process is reported.
void watch_ciphers();

int main(int argc, char **argv);

} // namespace subject

#endif

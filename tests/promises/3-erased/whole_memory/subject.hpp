// SPDX-License-Identifier: BSD-2-Clause
// A process that draws in every way, and stops after each draw for its examiner.
#ifndef CPRNG_TESTS_SUBJECT_HPP
#define CPRNG_TESTS_SUBJECT_HPP

#include "channel.hpp"

namespace subject {

extern const char argument[];     // as the program's first argument makes it a subject
constexpr int not_available = 77; // exit status: the backend is not for this processor

// The hooks that seams.cpp installs in the library.
struct Seams {
	channel::Shared *shared = nullptr;
	bool madvise_refused = false;
	std::uint32_t seconds_ahead = 0;
};
extern Seams seams;

void log(channel::Kind kind, const void *bytes, std::size_t len);
// Every cipher call of the process is reported from now on.
void watch_ciphers();

int main(int argc, char **argv);

} // namespace subject

#endif

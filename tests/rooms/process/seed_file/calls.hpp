// SPDX-License-Identifier: BSD-2-Clause
// The system calls that replace a seed file, as a test wants them to end.  The program is linked with --wrap for each of
// those in calls.cpp.
#ifndef CPRNG_TESTS_SEED_FILE_CALLS_HPP
#define CPRNG_TESTS_SEED_FILE_CALLS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "../../../machinery/internals.hpp"

namespace calls {

using Bytes = std::vector<std::uint8_t>;

// "openat", "fsync:file", "fsync:directory", "flock", "unlock", "sleep", "seed", ...; `index` counts the calls of the name
// that a guard has seen.
struct Call {
	std::string name;
	std::size_t index;
};

struct Watch {
	bool on = false;
	std::vector<std::string> log;
	std::string path;          // of the last openat
	std::vector<Bytes> drawn;  // by cprng_strong_read()
	std::vector<Bytes> seeded; // by cprng_strong_seed()
	// Before each call.  What is not 0 is returned instead.
	std::function<long(const Call &)> before;
	std::size_t longest = SIZE_MAX; // of a read or a write
	bool sleeps = true;             // false: a sleep returns at once
	std::uint64_t slept = 0;        // nanoseconds that were asked for
	std::function<void(Bytes &)> spoil_drawn;
	std::function<void(struct stat &)> spoil_status; // of every file that is asked about
};

extern Watch watch;

// Notes the call, and decides what it shall return; 0: what the system returns.
long enter(const char *name, const char *path = nullptr);

// While one exists, calls are watched: with the defaults above, until the test sets something else.
class Guard {
public:
	Guard()
	{
		watch = Watch();
		watch.on = true;
	}

	~Guard()
	{
		watch = Watch();
	}

	Guard(const Guard &) = delete;
	Guard &operator=(const Guard &) = delete;
};

} // namespace calls

#endif

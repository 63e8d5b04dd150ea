// SPDX-License-Identifier: BSD-2-Clause
// The system calls that replace a seed file, with scripted results.  The program is linked with --wrap for each of
// those in calls.cpp.
#ifndef CPRNG_TESTS_SEED_FILE_CALLS_HPP
#define CPRNG_TESTS_SEED_FILE_CALLS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "../../../support/internals.hpp"

namespace calls {

using Bytes = std::vector<std::uint8_t>;

// Names: "openat", "fsync:file", "fsync:directory", "flock", "unlock", "sleep", "seed", ...; `index` counts a guard's
// calls of that name.
struct Call {
	std::string name;
	std::size_t index;
};

struct Watch {
	bool on = false;
	std::vector<std::string> log;
	std::string path;          // the last openat's
	std::vector<Bytes> drawn;  // by cprng_strong_read()
	std::vector<Bytes> seeded; // by cprng_strong_seed()
	// Called before each call.  A nonzero result is returned instead.
	std::function<long(const Call &)> before;
	std::size_t longest = SIZE_MAX; // limit of a read or write
	bool sleeps = true;             // false: a sleep returns at once
	std::uint64_t slept = 0;        // requested nanoseconds
	std::function<void(Bytes &)> spoil_drawn;
	std::function<void(struct stat &)> spoil_status; // applied to every file status
};

extern Watch watch;

// Records the call and returns its scripted result; 0: make the system call.
long enter(const char *name, const char *path = nullptr);

// While one exists, calls are watched, with the above defaults until the test changes them.
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

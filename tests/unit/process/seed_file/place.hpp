// SPDX-License-Identifier: BSD-2-Clause
// A seed file that tests can damage, and a record of what an exchange does.
#ifndef CPRNG_TESTS_SEED_FILE_PLACE_HPP
#define CPRNG_TESTS_SEED_FILE_PLACE_HPP

#include "doctest/doctest.h"

#include "../../../support/fake_os.hpp"
#include "../../../support/file_locks.hpp"
#include "../../../support/internals.hpp"

#include <cprng/cprng.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t file_size = 64;

// Records of the last exchange.
struct Watched {
	std::vector<std::string> log; // its calls, by their names in FakeOs, "draw" and "seed"
	std::vector<Bytes> drawn;     // by cprng_strong_read()
	std::vector<Bytes> seeded;    // by cprng_strong_seed()

	// Runs before each call, which is already the last in the log.  A nonzero result is returned instead of making the call.
	std::function<long(const std::string &name)> script;
	// Replaces the drawn bytes.  With fixed bytes, the new content identifies the old content that was used.
	Bytes fresh;
};

extern Watched watched;

// A new directory with a seed file.  While a Place exists, calls are recorded, and sleeps and fsyncs return at once.
class Place {
public:
	Place();
	~Place();
	Place(const Place &) = delete;
	Place &operator=(const Place &) = delete;

	int exchange() const;
	void put(const Bytes &content, const std::string &name = "/seed") const;
	// Replaces the file in one step, as another process would.
	void replace(const Bytes &content) const;
	Bytes content() const;
	std::ptrdiff_t files() const;
	// The first name that a holder of the file's lock gives to its temporary file.
	std::string temporary() const;

	std::string directory, path;
	Bytes old;
};

// A lock belongs to the open file, so a lock on a file opened here acts like another process's lock.
class Holder {
public:
	explicit Holder(const Place &place, short type = F_WRLCK);
	~Holder();
	Holder(const Holder &) = delete;
	Holder &operator=(const Holder &) = delete;

	void release() const;

private:
	int fd_;
};

// The number of times that the last exchange made this call.
std::ptrdiff_t times(const std::string &name);
unsigned int mode_of(const std::string &path);
std::ptrdiff_t open_descriptors();

#endif

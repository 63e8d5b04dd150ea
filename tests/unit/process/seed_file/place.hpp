// SPDX-License-Identifier: BSD-2-Clause
// A seed file to damage, and what an exchange of it does.
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

// Of the last exchange.
struct Watched {
	std::vector<std::string> log; // its calls by their names in FakeOs, "draw" and "seed"
	std::vector<Bytes> drawn;     // by cprng_strong_read()
	std::vector<Bytes> seeded;    // by cprng_strong_seed()

	// Called before each call, the last of the log.  A nonzero result is returned instead.
	std::function<long(const std::string &name)> script;
	// Replaces as many drawn bytes.  With fixed ones, the new content identifies the old content that was used.
	Bytes fresh;
};

extern Watched watched;

// A new directory with a seed file.  While one exists, calls are watched, sleeps and fsyncs return at once.
class Place {
public:
	Place();
	~Place();
	Place(const Place &) = delete;
	Place &operator=(const Place &) = delete;

	int exchange() const;
	void put(const Bytes &content, const std::string &name = "/seed") const;
	// In one step, as by another process.
	void replace(const Bytes &content) const;
	Bytes content() const;
	std::ptrdiff_t files() const;

	std::string directory, path;
	Bytes old;
};

// A lock belongs to the open file, so one opened here acts like another process's.
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

// How often the last exchange made this call.
std::ptrdiff_t times(const std::string &name);
unsigned int mode_of(const std::string &path);
std::ptrdiff_t open_descriptors();

#endif

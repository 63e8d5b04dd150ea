// SPDX-License-Identifier: BSD-2-Clause
// A seed file to damage.
#ifndef CPRNG_TESTS_SEED_FILE_PLACE_HPP
#define CPRNG_TESTS_SEED_FILE_PLACE_HPP

#include "doctest/doctest.h"

#include "../../../support/file_locks.hpp"
#include "calls.hpp"

#include <cprng/cprng.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/stat.h>

using calls::Bytes;
using calls::Call;
using calls::watch;

constexpr std::size_t file_size = 64;

// A new directory with a seed file.
class Place {
public:
	Place()
	{
		char name[] = "/tmp/cprng-test-XXXXXX";
		REQUIRE(mkdtemp(name) != nullptr);
		directory = name;
		path = directory + "/seed";
		for (std::size_t i = 0; i < file_size; i++)
			old.push_back(static_cast<std::uint8_t>(i + 1));
		put(path, old);
		// Initialise before the test: that opens /dev/vmclock0.
		std::uint8_t drawn[16];
		cprng_strong(drawn, sizeof(drawn));
	}

	~Place()
	{
		std::filesystem::remove_all(directory);
	}

	Place(const Place &) = delete;
	Place &operator=(const Place &) = delete;

	static void put(const std::string &file, const Bytes &content)
	{
		std::ofstream(file, std::ios::binary)
			.write(reinterpret_cast<const char *>(content.data()),
			       static_cast<std::streamsize>(content.size()));
		chmod(file.c_str(), 0600);
	}

	// In one step, as by another process.
	void replace(const Bytes &content) const
	{
		put(directory + "/other", content);
		REQUIRE(rename((directory + "/other").c_str(), path.c_str()) == 0);
	}

	Bytes content() const
	{
		std::ifstream in(path, std::ios::binary);
		return Bytes(std::istreambuf_iterator<char>(in), {});
	}

	bool alone() const
	{
		return std::distance(std::filesystem::directory_iterator(directory), {}) == 1;
	}

	std::string directory, path;
	Bytes old;
};

inline std::size_t open_descriptors()
{
	return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Whether another opener holds the lock of fd's file.
inline bool locked(int fd)
{
	if (!file_locks::set(fd, F_WRLCK))
		return true;
	file_locks::set(fd, F_UNLCK);
	return false;
}

inline unsigned int mode_of(const std::string &path)
{
	struct stat status = {};

	REQUIRE(stat(path.c_str(), &status) == 0);
	return status.st_mode & 07777;
}

// With fixed fresh bytes, the new content identifies the old content that was used.
inline void fix_fresh_bytes()
{
	watch.spoil_drawn = [](Bytes &drawn) {
		if (drawn.size() == file_size)
			std::fill(drawn.begin(), drawn.end(), std::uint8_t{ 0 });
	};
}

#endif

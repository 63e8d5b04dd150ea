// SPDX-License-Identifier: BSD-2-Clause
// The files that are accepted as seed files, and the new file's mode.
#include "place.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// A refused file stays unchanged, and its content is not used.
void check_refused(const Place &place, int error)
{
	const Bytes before = place.content();

	CHECK(cprng_seed_file(place.path.c_str()) == error);
	CHECK(watch.seeded.empty());
	CHECK(place.content() == before);
}

// How many of this process's descriptors can write to the file.
int open_for_writing(const std::string &path)
{
	int found = 0;

	for (int fd = 3; fd < 100; fd++) {
		char target[4096] = {};
		const std::string link = "/proc/self/fd/" + std::to_string(fd);
		if (readlink(link.c_str(), target, sizeof(target) - 1) > 0 && path == target)
			found += (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
	}
	return found;
}

} // namespace

// Catches another user's file that is trusted, and a new file that others can read.
TEST_CASE("seed file: modes, owners and names that are refused, and the mode of what is written")
{
	Place place;
	calls::Guard guard;

	SUBCASE("under a second name")
	{
		REQUIRE(link(place.path.c_str(), (place.directory + "/again").c_str()) == 0);
		check_refused(place, CPRNG_ERR_FILE_TYPE);
	}
	SUBCASE("of another user")
	{
		watch.spoil_status = [](struct stat &status) { status.st_uid = geteuid() + 1; };
		check_refused(place, CPRNG_ERR_FILE_OWNER);
	}
	SUBCASE("of root")
	{
		watch.spoil_status = [](struct stat &status) { status.st_uid = 0; };
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_OK);
	}
	SUBCASE("a byte too long")
	{
		Place::put(place.path, Bytes(file_size + 1, 7));
		check_refused(place, CPRNG_ERR_FILE_TYPE);
	}
	SUBCASE("read-only")
	{
		REQUIRE(chmod(place.path.c_str(), 0400) == 0);
		check_refused(place, CPRNG_ERR_SYSTEM);
	}
	SUBCASE("a symbolic link")
	{
		REQUIRE(rename(place.path.c_str(), (place.directory + "/there").c_str()) == 0);
		REQUIRE(symlink("there", place.path.c_str()) == 0);
		check_refused(place, CPRNG_ERR_FILE_TYPE);
	}
	SUBCASE("a directory")
	{
		REQUIRE(unlink(place.path.c_str()) == 0);
		REQUIRE(mkdir(place.path.c_str(), 0700) == 0);
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_FILE_TYPE);
		CHECK(std::filesystem::is_empty(place.path));
	}
	SUBCASE("a FIFO")
	{
		unlink(place.path.c_str());
		REQUIRE(mkfifo(place.path.c_str(), 0600) == 0);
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_FILE_TYPE);
		// Opening it may affect its reader.
		CHECK(std::count(watch.log.begin(), watch.log.end(), "openat") == 1);
		CHECK(watch.seeded.empty());
	}
	SUBCASE("opened for writing, although it is read: so that the system may refuse")
	{
		int opened = 0;
		watch.before = [&](const Call &call) {
			if (call.name == "flock")
				opened = open_for_writing(place.path);
			return 0L;
		};
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_OK);
		CHECK(opened == 1);
	}
	SUBCASE("open to others: it is used, and what replaces it is not")
	{
		const mode_t before = umask(0377); // which clears all bits
		REQUIRE(chmod(place.path.c_str(), 0640) == 0);
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_SEED_EXPOSED);
		umask(before);
		CHECK(watch.seeded.size() == 1);
		CHECK(mode_of(place.path) == 0600);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() while another process holds the file's lock.  No test sleeps: a script counts the sleeps.
#include "place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// The lock belongs to the open file, so one opened here acts like another process's.
class Holder {
public:
	explicit Holder(const Place &place, short type = F_WRLCK) : fd_(open(place.path.c_str(), O_RDWR | O_CLOEXEC))
	{
		REQUIRE(fd_ >= 0);
		REQUIRE(file_locks::set(fd_, type));
	}

	~Holder()
	{
		close(fd_);
	}

	Holder(const Holder &) = delete;
	Holder &operator=(const Holder &) = delete;

	void release() const
	{
		REQUIRE(file_locks::set(fd_, F_UNLCK));
	}

private:
	int fd_;
};

std::ptrdiff_t times(const std::string &name)
{
	return std::count(watch.log.begin(), watch.log.end(), name);
}

Bytes outcome_for(const Bytes &old)
{
	Place place;
	calls::Guard guard;

	fix_fresh_bytes();
	place.replace(old);
	REQUIRE(cprng_seed_file(place.path.c_str()) >= 0);
	return place.content();
}

} // namespace

// Catches a wait with which any user can delay the process.
TEST_CASE("seed file: the lock of a file that others can open is not waited for")
{
	for (const unsigned int mode : { 0644u, 0640u, 0604u, 0602u, 0620u, 0610u, 0666u }) {
		for (const short type : { F_WRLCK, F_RDLCK }) {
			Place place;
			const Holder holder(place, type);
			const std::size_t descriptors = open_descriptors();
			CAPTURE(mode);
			REQUIRE(chmod(place.path.c_str(), mode) == 0);
			{
				calls::Guard guard;
				watch.sleeps = false;
				CHECK(cprng_seed_file(place.path.c_str()) == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED));
				CHECK(times("flock") == 1);
				CHECK(times("sleep") == 0);
				CHECK(times("read") == 0);
				CHECK(watch.seeded.empty());
			}
			CHECK(place.content().size() == file_size);
			CHECK(place.content() != place.old);
			CHECK(mode_of(place.path) == 0600);
			CHECK(place.alone());
			CHECK(open_descriptors() == descriptors);
			// The next call finds a good file, to which the holder has no access.
			calls::Guard guard;
			watch.sleeps = false;
			CHECK(cprng_seed_file(place.path.c_str()) == 0);
			CHECK(watch.seeded.size() == 1);
		}
	}
}

// Catches content that two processes use.
TEST_CASE("seed file: a content whose lock is held has no part in the new one")
{
	Bytes outcome[2];

	for (std::uint8_t i = 0; i < 2; i++) {
		Place place;
		calls::Guard guard;
		Place::put(place.path, Bytes(file_size, i));
		REQUIRE(chmod(place.path.c_str(), 0644) == 0);
		const Holder holder(place);
		fix_fresh_bytes();
		watch.sleeps = false;
		CHECK(cprng_seed_file(place.path.c_str()) == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED));
		outcome[i] = place.content();
	}
	CHECK(outcome[0] == outcome[1]);
	CHECK(outcome[0] == outcome_for({}));
	CHECK(outcome_for(Bytes(file_size, 0)) != outcome_for(Bytes(file_size, 1)));
}

// Catches an endless wait, or none.
TEST_CASE("seed file: the lock of a private file is waited for some seconds")
{
	Place place;
	const Holder holder(place);
	const std::size_t descriptors = open_descriptors();
	long sleep_gives = 0;
	int sleeps = 0;
	calls::Guard guard;

	SUBCASE("sleeps that are undisturbed")
	{
	}
	SUBCASE("sleeps that signals cut short")
	{
		sleep_gives = -EINTR;
	}
	SUBCASE("sleeps that a sandbox refuses")
	{
		sleep_gives = -EPERM;
	}
	watch.sleeps = false;
	watch.before = [&](const Call &call) {
		if (call.name != "sleep")
			return 0L;
		// An endless wait fails instead of hanging.
		if (++sleeps > 20'000)
			holder.release();
		return sleep_gives;
	};
	errno = 77;
	CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_BUSY);
	CHECK(errno == 77);
	CHECK(times("flock") == times("sleep") + 1);
	CHECK(watch.slept >= 5'000'000'000);
	CHECK(watch.slept <= 20'000'000'000);
	CHECK(times("sleep") <= 10'000);
	CHECK(watch.seeded.empty());
	watch.on = false;
	CHECK(place.content() == place.old);
	CHECK(place.alone());
	CHECK(open_descriptors() == descriptors);
	holder.release();
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
}

// Catches a file judged by its state before the wait.
TEST_CASE("seed file: what happens to a private file while its lock is waited for")
{
	Place place;
	const Bytes other(file_size, 0x77);
	const Bytes of_old = outcome_for(place.old), of_other = outcome_for(other);
	const Holder holder(place);
	int sleeps = 0;
	calls::Guard guard;

	fix_fresh_bytes();
	watch.sleeps = false;
	SUBCASE("it is replaced, and the lock stays")
	{
		watch.before = [&](const Call &call) {
			if (call.name == "sleep" && ++sleeps == 3)
				place.replace(other);
			return 0L;
		};
		CHECK(cprng_seed_file(place.path.c_str()) == 0);
		CHECK(place.content() == of_other);
	}
	SUBCASE("it is removed, and the lock stays")
	{
		watch.before = [&](const Call &call) {
			if (call.name == "sleep" && ++sleeps == 3)
				REQUIRE(unlink(place.path.c_str()) == 0);
			return 0L;
		};
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_SEED_MISSING);
		CHECK(place.content() == outcome_for({}));
	}
	SUBCASE("others may read it now")
	{
		watch.before = [&](const Call &call) {
			if (call.name == "sleep" && ++sleeps == 3) {
				REQUIRE(chmod(place.path.c_str(), 0644) == 0);
				holder.release();
			}
			return 0L;
		};
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_SEED_EXPOSED);
		CHECK(place.content() == of_old);
	}
	SUBCASE("it gets a second name")
	{
		const std::string second = place.directory + "/second";
		watch.before = [&](const Call &call) {
			if (call.name == "sleep" && ++sleeps == 3) {
				REQUIRE(link(place.path.c_str(), second.c_str()) == 0);
				holder.release();
			}
			return 0L;
		};
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_FILE_TYPE);
		CHECK(watch.seeded.empty());
		CHECK(place.content() == place.old);
	}
	CHECK(sleeps == 3);
}

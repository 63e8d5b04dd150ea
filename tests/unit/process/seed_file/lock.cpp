// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() while another process holds the file's lock.
#include "place.hpp"

namespace {

Bytes outcome_for(const Bytes &old)
{
	Place place;

	watched.fresh = Bytes(file_size);
	place.replace(old);
	REQUIRE(place.exchange() >= 0);
	return place.content();
}

} // namespace

// Catches a wait by which any user can delay the process, and content that two processes use.
TEST_CASE("seed file: the lock of a file that others can open is not waited for, and the content not used")
{
	const Bytes without = outcome_for({});

	for (const unsigned int mode : { 0644u, 0640u, 0604u, 0602u, 0620u, 0610u, 0666u }) {
		for (const short type : { F_WRLCK, F_RDLCK }) {
			Place place;
			const Holder holder(place, type);
			const std::ptrdiff_t descriptors = open_descriptors();
			CAPTURE(mode);
			REQUIRE(chmod(place.path.c_str(), mode) == 0);
			watched.fresh = Bytes(file_size);
			CHECK(place.exchange() == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED));
			CHECK(times("lock") == 1);
			CHECK(times("sleep") == 0);
			CHECK(times("read") == 0);
			CHECK(watched.seeded.empty());
			CHECK(place.content() == without);
			CHECK(mode_of(place.path) == 0600);
			CHECK(place.files() == 1);
			CHECK(open_descriptors() == descriptors);
			// The next call finds a good file, which the holder of the lock cannot access.
			CHECK(place.exchange() == 0);
			CHECK(watched.seeded.size() == 1);
		}
	}
}

// Catches an endless wait, and a missing wait.
TEST_CASE("seed file: the lock of a private file is waited for some seconds")
{
	// Undisturbed sleeps, sleeps that signals interrupt, and sleeps that a sandbox refuses.
	for (const long sleep_gives : { 0, -EINTR, -EPERM }) {
		Place place;
		const Holder holder(place);
		const std::ptrdiff_t descriptors = open_descriptors();
		std::uint64_t slept = 0;

		CAPTURE(sleep_gives);
		fake_os.sleep.answer = sleep_gives;
		fake_os.sleep.before = [&](std::uint32_t nanoseconds) {
			slept += nanoseconds;
			// Makes an endless wait fail instead of hang.
			if (fake_os.sleep.calls > 20'000)
				holder.release();
		};
		errno = 77;
		CHECK(place.exchange() == CPRNG_ERR_BUSY);
		CHECK(errno == 77);
		CHECK(times("lock") == times("sleep") + 1);
		CHECK(slept >= 5'000'000'000);
		CHECK(slept <= 20'000'000'000);
		CHECK(times("sleep") <= 10'000);
		CHECK(watched.seeded.empty());
		CHECK(place.content() == place.old);
		CHECK(place.files() == 1);
		CHECK(open_descriptors() == descriptors);
		holder.release();
		CHECK(place.exchange() == 0);
	}
}

// Catches a decision about the file that uses its state before the wait.
TEST_CASE("seed file: what happens to a private file while its lock is waited for")
{
	const Bytes other(file_size, 0x77), old = Place().old;
	const struct {
		const char *what;
		std::function<void(const Place &, const Holder &)> change;
		int result;
		Bytes outcome;
	} cases[] = {
		{ "it is replaced, and the lock stays", [&](const Place &place, auto &) { place.replace(other); }, 0,
		  outcome_for(other) },
		{ "it is removed, and the lock stays",
		  [](const Place &place, auto &) { REQUIRE(unlink(place.path.c_str()) == 0); }, CPRNG_SEED_MISSING,
		  outcome_for({}) },
		{ "others may read it now",
		  [](const Place &place, const Holder &holder) {
			  REQUIRE(chmod(place.path.c_str(), 0644) == 0);
			  holder.release();
		  },
		  CPRNG_SEED_EXPOSED, outcome_for(old) },
		{ "it gets a second name",
		  [](const Place &place, const Holder &holder) {
			  REQUIRE(link(place.path.c_str(), (place.directory + "/second").c_str()) == 0);
			  holder.release();
		  },
		  CPRNG_ERR_FILE_TYPE, old },
	};

	for (const auto &c : cases) {
		Place place;
		const Holder holder(place);

		CAPTURE(c.what);
		watched.fresh = Bytes(file_size);
		fake_os.sleep.before = [&](std::uint32_t) {
			if (fake_os.sleep.calls == 3)
				c.change(place, holder);
		};
		CHECK(place.exchange() == c.result);
		CHECK(place.content() == c.outcome);
		CHECK(watched.seeded.empty() == (c.result == CPRNG_SEED_MISSING || c.result < 0));
		CHECK(times("sleep") == 3);
	}
}

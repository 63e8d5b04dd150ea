// SPDX-License-Identifier: BSD-2-Clause
// An exchange of cprng_seed_file(), and failures during it.
#include "../../../support/machine.hpp"
#include "../../../support/own_stack.hpp"
#include "place.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

std::string kept(const std::vector<std::string> &log, const std::set<std::string> &names)
{
	std::string text;

	for (const std::string &name : log)
		if (names.count(name) != 0)
			text += name + " ";
	return text;
}

bool contains(const Bytes &text, const std::uint8_t *begin, std::size_t len)
{
	return std::search(text.begin(), text.end(), begin, begin + len) != text.end();
}

// Whether a contains any eight bytes of b.
bool overlap(const Bytes &a, const Bytes &b)
{
	for (std::size_t i = 0; i + 8 <= b.size(); i++)
		if (contains(a, b.data() + i, 8))
			return true;
	return false;
}

} // namespace

// Catches content that a second process may use after a crash.
TEST_CASE("seed file: replaced and on the disk before it is mixed")
{
	Place place;
	Bytes when_mixed;
	calls::Guard guard;

	watch.before = [&](const Call &call) {
		if (call.name == "seed")
			when_mixed = place.content();
		return 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(kept(watch.log, { "flock", "read", "write", "fsync:file", "renameat", "fsync:directory", "seed",
				"unlock" }) == "flock read write fsync:file renameat fsync:directory seed unlock ");
	REQUIRE(watch.seeded.size() == 1);
	CHECK(watch.seeded[0].size() >= 32);
	CHECK(when_mixed.size() == file_size);
	CHECK(when_mixed != place.old);
	CHECK(when_mixed == place.content());
}

// Catches a file that reveals what the process draws or mixes.
TEST_CASE("seed file: the new content has nothing in common with what is drawn or mixed")
{
	Place place;
	calls::Guard guard;

	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	const Bytes content = place.content();
	std::size_t fresh = 0;
	for (const Bytes &drawn : watch.drawn) {
		CHECK_FALSE(overlap(content, drawn));
		CHECK_FALSE(overlap(watch.seeded[0], drawn));
		fresh = std::max(fresh, drawn.size());
	}
	CHECK(fresh >= file_size);
	CHECK_FALSE(overlap(content, watch.seeded[0]));
	CHECK_FALSE(overlap(content, place.old));
	CHECK_FALSE(overlap(watch.seeded[0], place.old));
}

// Catches a part of either input that has no influence.
TEST_CASE("seed file: everything depends on every bit of the old content and of the fresh bytes")
{
	Place place;
	std::set<Bytes> seen;
	std::size_t pieces = 0;

	// One bit of the old content, one of the fresh bytes, or the length differs; everything else is the same.
	const auto once = [&](const Bytes &old, std::size_t fresh_bit) {
		calls::Guard guard;

		Place::put(place.path, old);
		watch.spoil_drawn = [&](Bytes &drawn) {
			if (drawn.size() != file_size)
				return;
			std::fill(drawn.begin(), drawn.end(), std::uint8_t{ 0 });
			if (fresh_bit < 8 * file_size)
				drawn[fresh_bit / 8] = static_cast<std::uint8_t>(1u << fresh_bit % 8);
		};
		REQUIRE(cprng_seed_file(place.path.c_str()) >= 0);
		const Bytes content = place.content();
		REQUIRE(content.size() == file_size);
		REQUIRE(watch.seeded.size() == 1);
		seen.insert(Bytes(content.begin(), content.begin() + 32));
		seen.insert(Bytes(content.begin() + 32, content.end()));
		seen.insert(watch.seeded[0]);
		pieces += 3;
		CHECK(seen.size() == pieces);
	};

	once(Bytes(file_size), SIZE_MAX);
	for (std::size_t bit = 0; bit < 8 * file_size; bit += 3) {
		Bytes old(file_size);
		old[bit / 8] = static_cast<std::uint8_t>(1u << bit % 8);
		once(old, SIZE_MAX);
		once(Bytes(file_size), bit);
	}
	once(Bytes(file_size - 1), SIZE_MAX);
	once(Bytes(1), SIZE_MAX);
}

// Catches a missing or empty file that counts as a seed, and short content that is discarded or counts as complete.
TEST_CASE("seed file: nothing is mixed where there was nothing, and a short file all the same")
{
	for (const std::size_t size : { 0, 1, 63 }) {
		Place place;
		calls::Guard guard;

		Place::put(place.path, Bytes(size, 1));
		chmod(place.path.c_str(), 0640);
		CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_SEED_SHORT + CPRNG_SEED_EXPOSED);
		CHECK(watch.seeded.size() == (size != 0 ? 1 : 0));
		CHECK(place.content().size() == file_size);
	}
}

// Catches a success that changes errno, an error that does not, and a path of nothing that is opened.
TEST_CASE("seed file: errno is preserved unless it tells something")
{
	Place place;

	errno = 77;
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(cprng_seed_file(place.directory.c_str()) == CPRNG_ERR_FILE_TYPE);
	CHECK(cprng_seed_file(nullptr) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_seed_file("") == CPRNG_ERR_ARGUMENT);
	CHECK(errno == 77);
	CHECK(cprng_seed_file((place.path + "/x").c_str()) == CPRNG_ERR_SYSTEM);
	CHECK(errno == ENOTDIR);
}

// ----------------------------------------------------------------------------------------------------------- failures

namespace {

// Harmless failures: the file is no longer needed, or gone anyway.
const std::set<std::string> harmless = { "close", "unlock", "unlinkat" };

// The state before the call: a good file, none, or one that others may read and lock.
enum class Before { good = 0, missing = CPRNG_SEED_MISSING, locked = CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED };

int prepare(const Place &place, Before before)
{
	if (before == Before::missing)
		unlink(place.path.c_str());
	if (before != Before::locked)
		return -1;
	chmod(place.path.c_str(), 0644);
	const int fd = open(place.path.c_str(), O_RDWR | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE(file_locks::set(fd, F_WRLCK));
	return fd;
}

std::vector<std::string> log_of_a_good_run(Before before)
{
	Place place;
	const int holder = prepare(place, before);
	calls::Guard guard;

	watch.sleeps = false;
	REQUIRE(cprng_seed_file(place.path.c_str()) == static_cast<int>(before));
	watch.on = false;
	close(holder);
	// Make each call fail in turn, except one that is made a thousand times.
	REQUIRE(watch.log.size() < 100);
	return watch.log;
}

void fail_call(Before before, std::size_t index, const std::string &name, long error)
{
	Place place;
	const int holder = prepare(place, before);
	const bool missing = before == Before::missing;
	const std::size_t descriptors = open_descriptors();
	const bool after_rename = name == "fsync:directory";
	calls::Guard guard;

	CAPTURE(index);
	CAPTURE(name);
	// A failing call is not made; a failing close leaves the descriptor open, which is counted.
	watch.sleeps = false;
	watch.before = [&](const Call &call) { return call.index == index ? error : 0; };
	errno = 0;
	const int result = cprng_seed_file(place.path.c_str());
	watch.on = false;
	if (harmless.count(name) != 0) {
		CHECK(result == static_cast<int>(before));
		CHECK(watch.seeded.size() == (before == Before::good ? 1 : 0));
		CHECK(place.alone());
		close(holder);
		return;
	}
	CHECK(result == CPRNG_ERR_SYSTEM);
	CHECK(errno == -error);
	CHECK(watch.seeded.empty());
	CHECK(open_descriptors() == descriptors);
	close(holder);
	if (missing && !after_rename) {
		CHECK(std::filesystem::is_empty(place.directory));
		return;
	}
	CHECK(place.alone());
	CHECK((place.content() == place.old) == !after_rename);
	CHECK(place.content().size() == file_size);
}

} // namespace

// Catches a failure after which something is mixed, left open or left behind.
TEST_CASE("seed file: a call that fails, any of them")
{
	Before before = Before::good;

	SUBCASE("with an old file")
	{
	}
	SUBCASE("without")
	{
		before = Before::missing;
	}
	SUBCASE("with one that others may read, and that is locked")
	{
		before = Before::locked;
	}
	const std::vector<std::string> log = log_of_a_good_run(before);
	std::size_t failed = 0;
	for (std::size_t i = 0; i < log.size(); i++) {
		if (log[i] == "draw" || log[i] == "seed")
			continue;
		fail_call(before, i, log[i], -EIO);
		fail_call(before, i, log[i], -ENOSPC);
		failed++;
	}
	CHECK(failed >= (before == Before::missing ? 10 : 16));
}

// Catches an interruption that counts as a failure.
TEST_CASE("seed file: calls that are interrupted are made again")
{
	Place place;
	std::string last;
	int times = 0;
	calls::Guard guard;

	watch.before = [&](const Call &call) {
		static const std::set<std::string> interruptible = { "openat", "flock",      "read",
								     "write",  "fsync:file", "fsync:directory" };
		times = call.name == last ? times + 1 : 0;
		last = call.name;
		return interruptible.count(call.name) != 0 && times < 5 ? -EINTR : 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(watch.log.size() > 40);
	CHECK(watch.seeded.size() == 1);
	CHECK(place.content().size() == file_size);
	CHECK(place.content() != place.old);
	CHECK(place.alone());
}

// Catches a short read or write that counts as complete.
TEST_CASE("seed file: reads and writes of some bytes at a time")
{
	Place place;
	Bytes whole, seed;

	// In one piece, and in many: the same old content and fresh bytes give the same result.
	for (const std::size_t longest : { SIZE_MAX, std::size_t{ 1 }, std::size_t{ 7 }, std::size_t{ 63 } }) {
		calls::Guard guard;

		Place::put(place.path, place.old);
		watch.longest = longest;
		watch.spoil_drawn = [](Bytes &drawn) { std::fill(drawn.begin(), drawn.end(), 0x3c); };
		CHECK(cprng_seed_file(place.path.c_str()) == 0);
		REQUIRE(watch.seeded.size() == 1);
		CHECK(place.content().size() == file_size);
		CHECK(place.content() != place.old);
		if (longest == SIZE_MAX) {
			whole = place.content();
			seed = watch.seeded[0];
		}
		CHECK(place.content() == whole);
		CHECK(watch.seeded[0] == seed);
	}
}

// Catches bytes that are mixed although they were never read.
TEST_CASE("seed file: it gets shorter while it is read")
{
	Place place;
	calls::Guard guard;

	watch.longest = 40;
	watch.before = [&](const Call &call) {
		if (call.name == "read")
			REQUIRE(truncate(place.path.c_str(), 40) == 0);
		return 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_SEED_SHORT);
	CHECK(place.content().size() == file_size);
}

namespace {

const char *path_of_file;
int result_on_stack;

} // namespace

// Catches the old content, the new one or the seed on the stack.
TEST_CASE("seed file: nothing of it is left on the stack")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the stack is not the program's alone");
	Place place;
	OwnStack stack;
	calls::Guard guard;

	path_of_file = place.path.c_str();
	stack.call([] { result_on_stack = cprng_seed_file(path_of_file); });
	REQUIRE(result_on_stack == CPRNG_OK);
	REQUIRE(watch.drawn.size() >= 1);
	REQUIRE(watch.seeded.size() == 1);
	const Bytes content = place.content();
	for (const Bytes &secret : { place.old, content, watch.drawn[0], watch.seeded[0] })
		stack.learn(secret.data(), secret.size());
	CHECK(stack.left() == 0);
}

// SPDX-License-Identifier: BSD-2-Clause
// An exchange of cprng_seed_file(), and failures during it.
#include "../../../support/machine.hpp"
#include "../../../support/own_stack.hpp"
#include "../../../support/repeats.hpp"
#include "place.hpp"

#include <csignal>
#include <memory>
#include <set>

#include <sys/resource.h>
#include <sys/wait.h>

// Catches seed content that a second process may use after a crash.
TEST_CASE("seed file: replaced and on the disk before it is mixed")
{
	const std::string expected = " lock read write fsync renameat fsync_directory seed unlock ";
	Place place;
	Bytes when_mixed;
	std::string calls = " ";

	watched.script = [&](const std::string &name) {
		if (name == "seed")
			when_mixed = place.content();
		if (expected.find(" " + name + " ") != std::string::npos)
			calls += name + " ";
		return 0L;
	};
	CHECK(place.exchange() == 0);
	CHECK(calls == expected);
	REQUIRE(watched.seeded.size() == 1);
	CHECK(watched.seeded[0].size() >= 32);
	CHECK(when_mixed.size() == file_size);
	CHECK(when_mixed != place.old);
	CHECK(when_mixed == place.content());
}

// Catches a file that reveals what the process draws or mixes.
TEST_CASE("seed file: old and new content, what is drawn and what is mixed have nothing in common")
{
	Place place;
	std::size_t fresh = 0;

	CHECK(place.exchange() == 0);
	std::vector<Bytes> all = watched.drawn;
	all.insert(all.end(), { place.old, place.content(), watched.seeded.at(0) });
	Windows windows(1024);
	for (const Bytes &bytes : all)
		CHECK(windows.add(bytes.data(), bytes.size()) == 0);
	for (const Bytes &drawn : watched.drawn)
		fresh = std::max(fresh, drawn.size());
	CHECK(fresh >= file_size);
}

// Catches a part of the old content or of the fresh bytes that has no influence.
TEST_CASE("seed file: everything depends on every bit of the old content and of the fresh bytes")
{
	Place place;
	std::set<Bytes> seen;
	std::size_t pieces = 0;

	// One bit of the old content, one of the fresh bytes, or the length differs; everything else is the same.
	const auto once = [&](const Bytes &old, const Bytes &fresh) {
		place.put(old);
		watched.fresh = fresh;
		REQUIRE(place.exchange() >= 0);
		const Bytes content = place.content();
		REQUIRE(content.size() == file_size);
		REQUIRE(watched.seeded.size() == 1);
		seen.insert(Bytes(content.begin(), content.begin() + 32));
		seen.insert(Bytes(content.begin() + 32, content.end()));
		seen.insert(watched.seeded[0]);
		pieces += 3;
		CHECK(seen.size() == pieces);
	};
	const Bytes zeros(file_size);

	once(zeros, zeros);
	for (std::size_t bit = 0; bit < 8 * file_size; bit += 3) {
		Bytes other(file_size);
		other[bit / 8] = static_cast<std::uint8_t>(1u << bit % 8);
		once(other, zeros);
		once(zeros, other);
	}
	once(Bytes(file_size - 1), zeros);
	once(Bytes(1), zeros);
}

// Catches a missing or empty file that counts as a seed, and short content that is discarded or that counts as complete.
TEST_CASE("seed file: nothing is mixed where there was nothing, and a short file all the same")
{
	for (const std::size_t size : { 0, 1, 63 }) {
		Place place;

		place.put(Bytes(size, 1));
		chmod(place.path.c_str(), 0640);
		CHECK(place.exchange() == CPRNG_SEED_SHORT + CPRNG_SEED_EXPOSED);
		CHECK(watched.seeded.size() == (size != 0 ? 1 : 0));
		CHECK(place.content().size() == file_size);
	}
}

// Catches a success that changes errno, an error that does not set it, and an empty path that is opened.
TEST_CASE("seed file: errno is preserved unless it tells something")
{
	Place place;

	errno = 77;
	CHECK(place.exchange() == 0);
	CHECK(cprng_seed_file(place.directory.c_str()) == CPRNG_ERR_FILE_TYPE);
	CHECK(cprng_seed_file(nullptr) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_seed_file("") == CPRNG_ERR_ARGUMENT);
	CHECK(errno == 77);
	CHECK(cprng_seed_file((place.path + "/x").c_str()) == CPRNG_ERR_SYSTEM);
	CHECK(errno == ENOTDIR);
}

// ----------------------------------------------------------------------------------------------------------- failures

namespace {

// Harmless failures: the file is no longer needed, or it is already gone.
const std::set<std::string> harmless = { "close", "unlock", "unlinkat" };

// Makes the exchange's call of this number fail, or none.  Returns the call's name; "" if the exchange makes fewer calls.
// `expected`, the result of an exchange without failures, determines the state before: a good file, no file, or a file that
// other users may read and lock.
std::string fail_call(int expected, std::size_t index, long error)
{
	Place place;
	std::unique_ptr<Holder> holder;
	std::string name;

	if (expected == CPRNG_SEED_MISSING)
		unlink(place.path.c_str());
	if (expected == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED)) {
		chmod(place.path.c_str(), 0644);
		holder = std::make_unique<Holder>(place);
	}
	const std::ptrdiff_t descriptors = open_descriptors();
	// A failing call is not made.  A failing close therefore leaves its descriptor open, which is counted.
	watched.script = [&](const std::string &call) {
		if (watched.log.size() != index + 1 || call == "seed")
			return 0L;
		name = call;
		return error;
	};
	errno = 0;
	const int result = place.exchange();
	CAPTURE(index);
	CAPTURE(name);
	const bool fails = !name.empty() && harmless.count(name) == 0;
	CHECK(result == (fails ? CPRNG_ERR_SYSTEM : expected));
	CHECK(watched.seeded.size() == (expected == 0 && !fails ? 1 : 0));
	if (fails) {
		CHECK(errno == -error);
		CHECK(open_descriptors() == descriptors);
	}
	if (!fails || name == "fsync_directory") {
		CHECK(place.content().size() == file_size);
		CHECK(place.content() != place.old);
	} else {
		CHECK(place.content() == (expected == CPRNG_SEED_MISSING ? Bytes() : place.old));
	}
	CHECK(place.files() == (expected == CPRNG_SEED_MISSING && place.content().empty() ? 0 : 1));
	// Each call fails in turn, except a call that is made a thousand times.
	REQUIRE(watched.log.size() < 100);
	return index < watched.log.size() ? watched.log[index] : "";
}

} // namespace

// Catches a failure after which a seed is mixed in, a descriptor stays open or a file is left behind.
TEST_CASE("seed file: a call that fails, any of them")
{
	for (const int before :
	     { int{ CPRNG_OK }, int{ CPRNG_SEED_MISSING }, CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED }) {
		std::size_t failed = 0;

		CAPTURE(before);
		for (std::size_t i = 0; fail_call(before, i, -EIO) != ""; i++) {
			const std::string name = fail_call(before, i, -ENOSPC);
			failed += name != "draw" && name != "seed";
		}
		CHECK(failed >= (before == CPRNG_SEED_MISSING ? 10 : 16));
	}
}

// Catches an error of the removal that is returned instead of the earlier error.
TEST_CASE("seed file: a temporary file that cannot be removed stays")
{
	Place place;

	fake_os.renameat.answer = -EIO;
	fake_os.unlinkat.answer = -EROFS;
	CHECK(place.exchange() == CPRNG_ERR_SYSTEM);
	CHECK(errno == EIO);
	CHECK(times("unlinkat") == 1);
	CHECK(watched.seeded.empty());
	CHECK(place.content() == place.old);
	CHECK(place.files() == 2);
}

// Catches a seed file that is lost when the process that replaces it dies, a lock that outlives that process, and a temporary
// file that stays for good, empty or whole.
TEST_CASE("seed file: a process that is killed leaves the old file, and a temporary one that the next removes")
{
	for (const char *const call : { "fchmod", "write", "fsync", "renameat" }) {
		Place place;
		const Bytes old = place.content();

		CAPTURE(call);
		// Processes that are killed one after the other leave one file.
		for (int killed = 0; killed < 3; killed++) {
			watched.script = [&](const std::string &name) { return name == call ? raise(SIGKILL) : 0L; };
			const pid_t pid = fork();
			if (pid == 0) {
				place.exchange();
				_exit(0);
			}
			REQUIRE(pid > 0);
			CHECK(WIFSIGNALED(machine::status_of(pid)));
			CHECK(place.content() == old);
			CHECK(place.files() == 2);
		}
		watched.script = nullptr;
		CHECK(place.exchange() == 0);
		CHECK(times("unlinkat") == 1);
		CHECK(place.files() == 1);
	}
}

// Catches the removal of a temporary file that another process, also without a seed file and so without a lock, still writes.
TEST_CASE("seed file: without an old file nothing is removed")
{
	Place place;

	REQUIRE(unlink(place.path.c_str()) == 0);
	watched.script = [&](const std::string &name) { return name == "renameat" ? raise(SIGKILL) : 0L; };
	for (std::ptrdiff_t killed = 0; killed < 3; killed++) {
		const pid_t pid = fork();
		if (pid == 0) {
			place.exchange();
			_exit(0);
		}
		REQUIRE(pid > 0);
		CHECK(WIFSIGNALED(machine::status_of(pid)));
		CHECK(place.files() == killed + 1);
	}
	watched.script = nullptr;
	CHECK(place.exchange() == CPRNG_SEED_MISSING);
	CHECK(place.files() == 4);
}

// Catches a process that SIGXFSZ kills because it may not write a file of 64 bytes.
TEST_CASE("seed file: a limit of the size of files below the seed's is an error, and no signal")
{
	for (const rlim_t most : { 0, 63, 64 }) {
		const Place place;
		const pid_t child = fork();

		if (child == 0) {
			const rlimit limit = { most, most };
			std::signal(SIGXFSZ, SIG_DFL);
			if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
				_exit(2);
			const int result = place.exchange();
			_exit(most < 64 ? result != CPRNG_ERR_SYSTEM || errno != EFBIG : result != 0);
		}
		CAPTURE(most);
		CHECK(machine::status_of(child) == 0);
		CHECK(place.files() == 1);
		CHECK((place.content() == place.old) == (most < 64));
	}
}

// Catches an interruption that counts as a failure.
TEST_CASE("seed file: calls that are interrupted are made again")
{
	Place place;

	fake_os.openat.interruptions = fake_os.lock.interruptions = fake_os.read.interruptions = 5;
	fake_os.write.interruptions = fake_os.fsync.interruptions = fake_os.fsync_directory.interruptions = 5;
	CHECK(place.exchange() == 0);
	CHECK(watched.log.size() > 40);
	CHECK(watched.seeded.size() == 1);
	CHECK(place.content().size() == file_size);
	CHECK(place.content() != place.old);
	CHECK(place.files() == 1);
}

// Catches a short read or write that counts as complete.
TEST_CASE("seed file: reads and writes of some bytes at a time")
{
	Place place;
	std::set<std::pair<Bytes, Bytes>> results;

	// In one piece and in many pieces, the same old content and fresh bytes must give the same result.
	watched.fresh = Bytes(file_size, 0x3c);
	for (const std::size_t longest : { 0, 1, 7, 63 }) {
		place.put(place.old);
		fake_os.read.longest = fake_os.write.longest = longest;
		CHECK(place.exchange() == 0);
		REQUIRE(watched.seeded.size() == 1);
		results.emplace(place.content(), watched.seeded[0]);
	}
	CHECK(results.size() == 1);
	CHECK(place.content().size() == file_size);
	CHECK(place.content() != place.old);
}

// Catches bytes that are mixed in although they were never read.
TEST_CASE("seed file: it gets shorter while it is read")
{
	Place place;

	fake_os.read.longest = 40;
	fake_os.read.before = [&](auto...) { REQUIRE(truncate(place.path.c_str(), 40) == 0); };
	CHECK(place.exchange() == CPRNG_SEED_SHORT);
	CHECK(place.content().size() == file_size);
}

namespace {

const Place *place_on_stack;
int result_on_stack;

} // namespace

// Catches old content, new content or the seed that stays on the stack.
TEST_CASE("seed file: nothing of it is left on the stack")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer also uses the stack");
	Place place;
	OwnStack stack;

	place_on_stack = &place;
	stack.call([] { result_on_stack = place_on_stack->exchange(); });
	REQUIRE(result_on_stack == CPRNG_OK);
	REQUIRE(watched.drawn.size() >= 1);
	REQUIRE(watched.seeded.size() == 1);
	const Bytes content = place.content();
	for (const Bytes &secret : { place.old, content, watched.drawn[0], watched.seeded[0] })
		stack.learn(secret.data(), secret.size());
	CHECK(stack.left() == 0);
}

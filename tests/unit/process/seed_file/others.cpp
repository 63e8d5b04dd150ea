// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() while others use the file: between two of its calls, concurrently, or in a signal handler.
#include "../../../support/machine.hpp"
#include "place.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

// Catches content that the lock's holder has used.
TEST_CASE("seed file: what was replaced while the lock was waited for is not used")
{
	Place place;
	const Bytes other(file_size, 0x77);
	int locks = 0;
	calls::Guard guard;

	watch.before = [&](const Call &call) {
		if (call.name == "flock" && locks++ < 3)
			place.replace(Bytes(file_size, static_cast<std::uint8_t>(locks)));
		return 0L;
	};
	fix_fresh_bytes();
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(locks == 4);
	const Bytes outcome = place.content();
	place.replace(Bytes(file_size, 3));
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(place.content() == outcome);
	CHECK(watch.seeded.size() == 2);
}

// Catches an endless loop.
TEST_CASE("seed file: another process that never stops replacing it")
{
	Place place;
	const std::size_t descriptors = open_descriptors();
	calls::Guard guard;

	watch.before = [&](const Call &call) {
		if (call.name == "flock")
			place.replace(place.old);
		return 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_SYSTEM);
	CHECK(errno == EBUSY);
	CHECK(watch.seeded.empty());
	CHECK(open_descriptors() == descriptors);
}

// Catches a link, FIFO or other file that is opened in its place.
TEST_CASE("seed file: something else in its place, after the first look")
{
	Place place, other;
	std::size_t opens = 0;
	std::function<void()> change;
	int expected = CPRNG_ERR_FILE_TYPE;
	calls::Guard guard;

	SUBCASE("nothing")
	{
		change = [&] { unlink(place.path.c_str()); };
		expected = CPRNG_SEED_MISSING;
	}
	SUBCASE("a symbolic link")
	{
		change = [&] {
			unlink(place.path.c_str());
			REQUIRE(symlink(other.path.c_str(), place.path.c_str()) == 0);
		};
	}
	SUBCASE("a FIFO")
	{
		change = [&] {
			unlink(place.path.c_str());
			REQUIRE(mkfifo(place.path.c_str(), 0600) == 0);
		};
	}
	SUBCASE("a file without permission to write")
	{
		change = [&] { chmod(place.path.c_str(), 0400); };
		expected = CPRNG_ERR_SYSTEM;
	}
	watch.before = [&](const Call &call) {
		// The first is the directory.
		if (call.name == "openat" && ++opens == 2)
			change();
		return 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == expected);
	if (expected == CPRNG_ERR_SYSTEM)
		CHECK(errno == EACCES);
	// A lock would delay users of the other file.
	CHECK(std::count(watch.log.begin(), watch.log.end(), "flock") == 0);
	CHECK(watch.seeded.empty());
	CHECK(place.alone());
}

// Catches a predictable name, and a planted link that is followed.
TEST_CASE("seed file: the temporary file belongs to this process alone")
{
	Place place, other;
	std::set<std::string> names;
	bool planted = false;
	calls::Guard guard;

	watch.before = [&](const Call &call) {
		if (call.name != "openat" || watch.path.rfind(".cprng-", 0) != 0)
			return 0L;
		names.insert(watch.path);
		if (planted)
			REQUIRE(symlink(other.path.c_str(), (place.directory + "/" + watch.path).c_str()) == 0);
		return 0L;
	};
	for (int i = 0; i < 20; i++)
		CHECK(cprng_seed_file(place.path.c_str()) == 0);
	CHECK(names.size() == 20);
	const Bytes before = place.content();
	planted = true;
	CHECK(cprng_seed_file(place.path.c_str()) == CPRNG_ERR_SYSTEM);
	CHECK(errno == EEXIST);
	CHECK(place.content() == before);
	CHECK(other.content() == other.old);
	// Nor may the library remove it.
	CHECK(std::filesystem::is_symlink(place.directory + "/" + watch.path));
}

// Catches two processes that mix the same content.
TEST_CASE("seed file: many processes, and no content is used twice")
{
	constexpr std::size_t processes = 8, rounds = 40;
	Place place;
	// Of what each process has mixed, the first bytes: with fixed fresh bytes they identify the content.
	auto *const used =
		static_cast<std::uint64_t *>(machine::shared_memory(processes * rounds * sizeof(std::uint64_t)));
	std::vector<pid_t> children;

	for (std::size_t process = 0; process < processes; process++) {
		const pid_t child = fork();
		if (child == 0) {
			calls::Guard guard;
			bool good = true;
			fix_fresh_bytes();
			for (std::size_t round = 0; round < rounds; round++) {
				int result;
				watch.seeded.clear();
				// On a slow machine another process may hold it for long.
				do
					result = cprng_seed_file(place.path.c_str());
				while (result == CPRNG_ERR_BUSY);
				good &= result == 0 && watch.seeded.size() == 1;
				if (good)
					std::memcpy(&used[process * rounds + round], watch.seeded[0].data(), 8);
			}
			_exit(good ? 0 : 1);
		}
		children.push_back(child);
	}
	for (const pid_t child : children)
		CHECK(machine::ended_well(child));
	CHECK(std::set<std::uint64_t>(used, used + processes * rounds).size() == processes * rounds);
	CHECK(place.alone());
}

namespace {
volatile std::sig_atomic_t handled;
}

// Catches a handler that ends the process and leaves the temporary file.
TEST_CASE("seed file: no handler runs while there is a temporary file")
{
	Place place;
	struct sigaction action = {}, before;
	sigset_t mask_before, mask_after;
	bool early = false;
	calls::Guard guard;

	action.sa_handler = [](int) { handled = handled + 1; };
	sigaction(SIGUSR1, &action, &before);
	sigprocmask(SIG_SETMASK, nullptr, &mask_before);
	handled = 0;
	watch.before = [&](const Call &call) {
		if (call.name == "fchmod")
			raise(SIGUSR1);
		if (call.name == "renameat")
			early = handled != 0;
		return 0L;
	};
	CHECK(cprng_seed_file(place.path.c_str()) == 0);
	sigprocmask(SIG_SETMASK, nullptr, &mask_after);
	CHECK_FALSE(early);
	CHECK(handled == 1);
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		CHECK(sigismember(&mask_before, signal_number) == sigismember(&mask_after, signal_number));
	sigaction(SIGUSR1, &before, nullptr);
}

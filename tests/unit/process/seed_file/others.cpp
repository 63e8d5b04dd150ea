// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() while others use the file: between two of its calls, concurrently, or in a signal handler.
#include "place.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
	// Fixed, so that the result reveals what was read.
	watch.spoil_drawn = [](Bytes &drawn) {
		if (drawn.size() == file_size)
			std::fill(drawn.begin(), drawn.end(), std::uint8_t{ 0 });
	};
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
	struct Shared {
		std::uint64_t used[processes * rounds];
	};
	Place place;
	bool exposed = false;

	SUBCASE("private files")
	{
	}
	// Files with a held lock are replaced unread while the holder uses them.
	SUBCASE("files that others may read, time and again")
	{
		exposed = true;
	}
	void *pages = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(pages != MAP_FAILED);
	auto *const shared = static_cast<Shared *>(pages);
	std::vector<pid_t> children;

	for (std::size_t process = 0; process < processes; process++) {
		const pid_t child = fork();
		if (child == 0) {
			calls::Guard guard;
			bool good = true;
			// Fixed, so that the result identifies the content used; without content a new chain begins.
			watch.spoil_drawn = [](Bytes &drawn) {
				const bool used = std::count(watch.log.begin(), watch.log.end(), "read") != 0;
				if (drawn.size() == file_size && used)
					std::fill(drawn.begin(), drawn.end(), std::uint8_t{ 0 });
			};
			for (std::size_t round = 0; round < (exposed ? rounds / 2 : rounds); round++) {
				int result;
				watch.seeded.clear();
				watch.log.clear();
				if (exposed)
					chmod(place.path.c_str(), 0644);
				// On a slow machine another process may hold it for long.
				do
					result = cprng_seed_file(place.path.c_str());
				while (result == CPRNG_ERR_BUSY);
				const bool mixed = result == 0 || (exposed && result == CPRNG_SEED_EXPOSED);
				const bool skipped = exposed && result == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED);
				good &= (mixed || skipped) && watch.seeded.size() == (mixed ? 1 : 0);
				if (good && mixed)
					std::memcpy(&shared->used[process * rounds + round], watch.seeded[0].data(), 8);
			}
			_exit(good ? 0 : 1);
		}
		children.push_back(child);
	}
	for (const pid_t child : children) {
		int status = -1;
		REQUIRE(waitpid(child, &status, 0) == child);
		CHECK(status == 0);
	}
	std::set<std::uint64_t> different;
	std::size_t mixed = 0;
	for (const std::uint64_t used : shared->used) {
		if (used == 0)
			continue;
		mixed++;
		different.insert(used);
	}
	CHECK(different.size() == mixed);
	CHECK(mixed > 0);
	if (!exposed)
		CHECK(mixed == processes * rounds);
	CHECK(place.alone());
	munmap(pages, sizeof(Shared));
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

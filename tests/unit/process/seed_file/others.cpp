// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() while the file is used elsewhere: between two of its calls, concurrently, or in a signal handler.
#include "../../../support/machine.hpp"
#include "place.hpp"

#include <csignal>
#include <cstring>
#include <set>

// Catches the use of content that the lock's holder has already used.
TEST_CASE("seed file: what was replaced while the lock was waited for is not used")
{
	Place place;

	fake_os.lock.before = [&](auto...) {
		if (fake_os.lock.calls <= 3)
			place.replace(Bytes(file_size, static_cast<std::uint8_t>(fake_os.lock.calls)));
	};
	watched.fresh = Bytes(file_size);
	CHECK(place.exchange() == 0);
	CHECK(times("lock") == 4);
	CHECK(watched.seeded.size() == 1);
	const Bytes outcome = place.content();
	place.replace(Bytes(file_size, 3));
	CHECK(place.exchange() == 0);
	CHECK(place.content() == outcome);
}

// Catches an endless loop.
TEST_CASE("seed file: another process that never stops replacing it")
{
	Place place;
	const std::ptrdiff_t descriptors = open_descriptors();

	fake_os.lock.before = [&](auto...) { place.replace(place.old); };
	CHECK(place.exchange() == CPRNG_ERR_SYSTEM);
	CHECK(errno == EBUSY);
	CHECK(watched.seeded.empty());
	CHECK(open_descriptors() == descriptors);
}

// Catches a planted link that is followed, that stops the exchange or that is removed, and a second name that is predictable.
TEST_CASE("seed file: the temporary file belongs to this process alone")
{
	Place place, other;
	std::vector<std::string> names;
	std::set<std::string> random;
	std::size_t planted = 1;

	fake_os.openat.before = [&](int, const char *path, int, unsigned int) {
		if (std::string(path).rfind(".cprng-", 0) != 0)
			return;
		names.push_back(place.directory + "/" + path);
		if (names.size() <= planted)
			REQUIRE(symlink(other.path.c_str(), names.back().c_str()) == 0);
	};
	for (int i = 0; i < 20; i++) {
		names.clear();
		CHECK(place.exchange() == 0);
		REQUIRE(names.size() == 2);
		random.insert(names[1]);
		// The library must not remove the link either.
		CHECK(std::filesystem::remove(names[0]));
		CHECK(place.files() == 1);
	}
	CHECK(random.size() == 20);
	const Bytes before = place.content();
	planted = 2;
	names.clear();
	CHECK(place.exchange() == CPRNG_ERR_SYSTEM);
	CHECK(errno == EEXIST);
	CHECK(place.content() == before);
	CHECK(other.content() == other.old);
	CHECK(place.files() == 3);
}

// Catches a file of another kind, which no exchange has left, that is removed or that stops the exchange.
TEST_CASE("seed file: what has the temporary file's name and is none stays")
{
	const struct {
		const char *what;
		std::function<void(const std::string &name)> change;
	} cases[] = {
		{ "a directory",
		  [](const std::string &name) {
			  REQUIRE(unlink(name.c_str()) == 0);
			  REQUIRE(mkdir(name.c_str(), 0700) == 0);
		  } },
		{ "a longer file", [](const std::string &name) { REQUIRE(truncate(name.c_str(), 65) == 0); } },
		{ "others may read it", [](const std::string &name) { REQUIRE(chmod(name.c_str(), 0640) == 0); } },
		{ "a second name",
		  [](const std::string &name) { REQUIRE(link(name.c_str(), (name + "-2").c_str()) == 0); } },
		{ "another user's",
		  [](const std::string &) {
			  fake_os.fstatat.after = [](long, int, const char *name, struct stat *status) {
				  if (std::strncmp(name, ".cprng-", 7) == 0)
					  status->st_uid = 12345;
			  };
		  } },
	};

	for (const auto &c : cases) {
		const Place place;
		const std::string name = place.temporary();

		CAPTURE(c.what);
		place.put(Bytes(file_size), "/" + name);
		c.change(place.directory + "/" + name);
		const std::ptrdiff_t files = place.files();
		CHECK(place.exchange() == 0);
		CHECK(watched.seeded.size() == 1);
		CHECK(std::filesystem::exists(place.directory + "/" + name));
		CHECK(place.files() == files);
	}
}

// Catches a link whose error is not recognised on a system with another error number for it.
TEST_CASE("seed file: a link that takes the file's place meanwhile, by the number of FreeBSD")
{
	Place place;

	watched.script = [&](const std::string &call) { return call == "openat" && times(call) == 2 ? -EMLINK : 0L; };
	CHECK(place.exchange() == 0);
	CHECK(times("openat") == 4);
	CHECK(watched.seeded.size() == 1);
}

// Catches two processes that mix in the same content.
TEST_CASE("seed file: many processes, and no content is used twice")
{
	constexpr std::size_t processes = 8, rounds = 40;
	Place place;
	// The first bytes that each process has mixed in: with fixed fresh bytes they identify the content.
	auto *const used =
		static_cast<std::uint64_t *>(machine::shared_memory(processes * rounds * sizeof(std::uint64_t)));
	std::vector<pid_t> children;

	fake_os.sleep.instead = nullptr;
	fake_os.fsync.instead = fake_os.fsync_directory.instead = nullptr;
	watched.fresh = Bytes(file_size);
	for (std::size_t process = 0; process < processes; process++) {
		const pid_t child = fork();
		if (child == 0) {
			bool good = true;
			for (std::size_t round = 0; round < rounds; round++) {
				int result;
				// On a slow machine another process may hold the lock for a long time.
				do
					result = place.exchange();
				while (result == CPRNG_ERR_BUSY);
				good &= result == 0 && watched.seeded.size() == 1;
				if (good)
					std::memcpy(&used[process * rounds + round], watched.seeded[0].data(), 8);
			}
			_exit(good ? 0 : 1);
		}
		children.push_back(child);
	}
	for (const pid_t child : children)
		CHECK(machine::ended_well(child));
	CHECK(std::set<std::uint64_t>(used, used + processes * rounds).size() == processes * rounds);
	CHECK(place.files() == 1);
}

static volatile std::sig_atomic_t handled;

// Catches a temporary file that stays when a handler ends the process.
TEST_CASE("seed file: no handler runs while there is a temporary file")
{
	Place place;
	struct sigaction action = {}, before;
	sigset_t mask_before, mask_after;

	action.sa_handler = [](int) { handled = handled + 1; };
	sigaction(SIGUSR1, &action, &before);
	sigprocmask(SIG_SETMASK, nullptr, &mask_before);
	handled = 0;
	fake_os.fchmod.before = [](auto...) { raise(SIGUSR1); };
	fake_os.renameat.before = [](auto...) { CHECK(handled == 0); };
	CHECK(place.exchange() == 0);
	sigprocmask(SIG_SETMASK, nullptr, &mask_after);
	CHECK(handled == 1);
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		CHECK(sigismember(&mask_before, signal_number) == sigismember(&mask_after, signal_number));
	sigaction(SIGUSR1, &before, nullptr);
}

// SPDX-License-Identifier: BSD-2-Clause
// The seed file on Windows.
#include "../../../support/filled.hpp"
#include "../../../support/replace.hpp"
#include "../../../support/windows/support.hpp"

#include <cprng/cprng.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace {

using windows::Directory;

std::mutex lock;
std::vector<std::string> seeds; // the seeds mixed in
bool of_another_user, exposed;
unsigned int sleeps;

struct Seeded : Directory {
	Seeded()
	{
		seeds.clear();
		of_another_user = exposed = false;
		sleeps = 0;
		put("seed", old);
	}

	int exchange(const std::string &name = "seed") const
	{
		return cprng_seed_file((path / name).u8string().c_str());
	}

	const std::string old = std::string(64, 'o');
};

} // namespace

REPLACE(void, cprng_strong_seed, (struct cprng_process * p, const void *seed, std::size_t len))
{
	{
		const std::lock_guard<std::mutex> guard(lock);
		seeds.emplace_back(static_cast<const char *>(seed), len);
	}
	__real_cprng_strong_seed(p, seed, len);
}

REPLACE(long, cprng_windows_describe_access, (HANDLE file, struct cprng_os_file *described))
{
	const long r = __real_cprng_windows_describe_access(file, described);

	described->trusted = described->trusted && !of_another_user;
	described->exposed = described->exposed || exposed;
	return r;
}

REPLACE(long, cprng_os_sleep, (std::uint32_t))
{
	sleeps++;
	Sleep(1);
	return 0;
}

// Catches content that stays in the file, is not mixed in, or is mixed in twice, rights of other users, and leftover files.
TEST_CASE("windows seed file: an exchange mixes the old content once, and puts a new one in its place")
{
	Seeded place;
	std::set<std::string> contents{ place.old };

	for (int i = 0; i < 20; i++) {
		CHECK(place.exchange() == CPRNG_OK);
		const std::string now = place.content("seed");
		CHECK(now.size() == 64);
		CHECK(contents.insert(now).second);
		CHECK(place.files() == 1);
	}
	CHECK(seeds.size() == 20);
	CHECK(std::set<std::string>(seeds.begin(), seeds.end()).size() == 20);
	cprng_os_file file;
	REQUIRE(cprng_os_find_file(place.number, "seed", &file) >= 0);
	CHECK_FALSE(file.exposed);
}

// Catches a Windows path that is treated as a plain name, and a missing file that is reported as an error.
TEST_CASE("windows seed file: in any form of path, and where there was none")
{
	Seeded place;

	for (const char *name : { "new", "s\xc3\xa4"
					 "en" }) {
		const std::string path = (place.path / std::filesystem::u8path(name)).u8string();
		CHECK(cprng_seed_file(path.c_str()) == CPRNG_SEED_MISSING);
		std::string slashes = path;
		std::replace(slashes.begin(), slashes.end(), '\\', '/');
		CHECK(cprng_seed_file(slashes.c_str()) == CPRNG_OK);
	}
	CHECK(seeds.size() == 2);
	CHECK(place.files() == 3);
	CHECK(cprng_seed_file((place.path / "none" / "seed").u8string().c_str()) == CPRNG_ERR_SYSTEM);
	CHECK(cprng_seed_file((place.path.u8string() + "\\").c_str()) == CPRNG_ERR_FILE_TYPE);
}

// Catches a refused file that is changed, or whose content is used.
TEST_CASE("windows seed file: files that are refused stay as they are")
{
	Seeded place;
	int error = CPRNG_ERR_FILE_TYPE;
	std::unique_ptr<windows::Descriptor> held;

	SUBCASE("under a second name")
	{
		REQUIRE(CreateHardLinkW((place.path / "second").c_str(), (place.path / "seed").c_str(), nullptr));
	}
	SUBCASE("of another user")
	{
		of_another_user = true;
		error = CPRNG_ERR_FILE_OWNER;
	}
	SUBCASE("read-only")
	{
		REQUIRE(SetFileAttributesW((place.path / "seed").c_str(), FILE_ATTRIBUTE_READONLY));
		error = CPRNG_ERR_SYSTEM;
	}
	SUBCASE("locked by another opener")
	{
		held = std::make_unique<windows::Descriptor>(cprng_os_open_file(place.number, "seed"));
		REQUIRE(cprng_os_try_lock_file(*held) == 0);
		error = CPRNG_ERR_BUSY;
	}
	CHECK(place.exchange() == error);
	CHECK(sleeps == (held ? 1000 : 0));
	CHECK(seeds.empty());
	CHECK(place.content("seed") == place.old);
	SetFileAttributesW((place.path / "seed").c_str(), FILE_ATTRIBUTE_NORMAL);
}

// Catches an exposed file that is not reported, and a wait for a lock that any user may hold.
TEST_CASE("windows seed file: an exposed file is replaced, even if another opener has its lock")
{
	Seeded place;

	exposed = true;
	CHECK(place.exchange() == CPRNG_SEED_EXPOSED);
	CHECK(seeds.size() == 1);
	const windows::Descriptor held(cprng_os_open_file(place.number, "seed"));
	REQUIRE(cprng_os_try_lock_file(held) == 0);
	const std::string before = place.content("seed");
	CHECK(place.exchange() == (CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED));
	CHECK(seeds.size() == 1);
	CHECK(place.content("seed") != before);
	CHECK(sleeps == 0);
}

// Catches content that two threads mix in.
TEST_CASE("windows seed file: eight threads use no content twice")
{
	Seeded place;
	std::vector<std::thread> threads;
	std::atomic<int> mixed{ 0 }, odd{ 0 };

	for (int i = 0; i < 8; i++)
		threads.emplace_back([&] {
			for (int n = 0; n < 4; n++) {
				const int r = place.exchange();
				// While a file is moved aside, there is none.  A holder of the lock may outlast the short sleeps.
				mixed += r == CPRNG_OK;
				odd += r != CPRNG_OK && r != CPRNG_SEED_MISSING && r != CPRNG_ERR_BUSY;
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	CHECK(mixed > 0);
	CHECK(odd == 0);
	CHECK(seeds.size() == static_cast<std::size_t>(mixed));
	CHECK(std::set<std::string>(seeds.begin(), seeds.end()).size() == seeds.size());
	CHECK(place.files() == 1);
	CHECK(place.content("seed").size() == 64);
}

// SPDX-License-Identifier: BSD-2-Clause
// Which files are accepted as seed files, and the mode of the new file.
#include "place.hpp"

namespace {

void make_link(const Place &place)
{
	REQUIRE(rename(place.path.c_str(), (place.directory + "/there").c_str()) == 0);
	REQUIRE(symlink("there", place.path.c_str()) == 0);
}

void make_fifo(const Place &place)
{
	unlink(place.path.c_str());
	REQUIRE(mkfifo(place.path.c_str(), 0600) == 0);
}

const struct Case {
	const char *what;
	int result; // CPRNG_SEED_MISSING: a new file is created
	void (*make)(const Place &);
} cases[] = {
	{ "nothing", CPRNG_SEED_MISSING, [](const Place &place) { unlink(place.path.c_str()); } },
	{ "under a second name", CPRNG_ERR_FILE_TYPE,
	  [](const Place &place) { REQUIRE(link(place.path.c_str(), (place.directory + "/again").c_str()) == 0); } },
	{ "of another user", CPRNG_ERR_FILE_OWNER,
	  [](const Place &) { fake_os.change_status = [](struct stat &status) { status.st_uid = geteuid() + 1; }; } },
	{ "a byte too long", CPRNG_ERR_FILE_TYPE, [](const Place &place) { place.put(Bytes(file_size + 1, 7)); } },
	{ "read-only", CPRNG_ERR_SYSTEM, [](const Place &place) { REQUIRE(chmod(place.path.c_str(), 0400) == 0); } },
	{ "a symbolic link", CPRNG_ERR_FILE_TYPE, make_link },
	{ "a FIFO", CPRNG_ERR_FILE_TYPE, make_fifo },
};

// The file is changed before the exchange, or after the exchange's first check.
void check_refused(const Case &c, bool later)
{
	Place place;
	Bytes content;
	std::ptrdiff_t files = 0;
	const bool readable = c.result != CPRNG_SEED_MISSING && c.make != make_fifo;
	const auto make = [&] {
		c.make(place);
		files = std::max(place.files(), std::ptrdiff_t{ 1 });
		content = readable ? place.content() : Bytes();
	};

	CAPTURE(c.what);
	if (!later)
		make();
	fake_os.openat.before = [&](auto...) {
		// The first is the directory.
		if (later && fake_os.openat.calls == 2)
			make();
	};
	CHECK(place.exchange() == c.result);
	CHECK((c.result != CPRNG_ERR_SYSTEM || errno == EACCES));
	CHECK(watched.seeded.empty());
	// Such files must not be opened, which may affect their readers, or locked, which would delay their users.
	CHECK(times("lock") == 0);
	CHECK((later || c.result == CPRNG_SEED_MISSING || times("openat") == 1));
	CHECK(place.files() == files);
	CHECK((!readable || place.content() == content));
}

// The number of this process's descriptors that can write to the file.
int open_for_writing(const std::string &path)
{
	int found = 0;

	for (const auto &link : std::filesystem::directory_iterator("/proc/self/fd")) {
		std::error_code gone;
		if (std::filesystem::read_symlink(link, gone) == path)
			found += (fcntl(std::stoi(link.path().filename()), F_GETFL) & O_ACCMODE) == O_RDWR;
	}
	return found;
}

} // namespace

// Catches a file that is used or changed although its owner, mode, names, size or kind forbid it.
TEST_CASE("seed file: files that are refused stay as they are, and are not opened")
{
	for (const Case &c : cases)
		check_refused(c, false);
}

// Catches a link, FIFO or other file that is opened instead of the seed file.
TEST_CASE("seed file: something else in its place, after the first look")
{
	for (const Case &c : cases)
		check_refused(c, true);
}

// Catches a file of root that is refused, a file that is not opened for writing, and a new file that others can read.
TEST_CASE("seed file: files that are used, and the mode of what is written")
{
	Place place;
	int opened = 0;

	fake_os.change_status = [](struct stat &status) { status.st_uid = 0; };
	// It is opened for writing although it is only read, so that the system can refuse.
	fake_os.lock.before = [&](auto...) { opened += open_for_writing(place.path); };
	CHECK(place.exchange() == CPRNG_OK);
	CHECK(opened == 1);

	const mode_t before = umask(0377); // clears all bits that the file should have
	REQUIRE(chmod(place.path.c_str(), 0640) == 0);
	CHECK(place.exchange() == CPRNG_SEED_EXPOSED);
	umask(before);
	CHECK(watched.seeded.size() == 1);
	CHECK(mode_of(place.path) == 0600);
}

// SPDX-License-Identifier: BSD-2-Clause
// cprng_seed_file() and files that are damaged, of other kinds, or under other names too: the result and what it leaves, as
// cprng.h states them.
#include "fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <cprng/cprng.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fuzz {

namespace {

constexpr std::size_t seed_size = 64;

// In memory where there is such a file system: each exchange calls fsync() twice.
class Directory {
public:
	Directory()
	{
		for (const char *root : { "/dev/shm", "/tmp" }) {
			name = std::string(root) + "/cprng-fuzz-XXXXXX";
			if (mkdtemp(name.data()) != nullptr)
				return;
		}
		throw std::runtime_error("no directory for seed files");
	}

	~Directory()
	{
		std::error_code ignored;
		std::filesystem::remove_all(name, ignored);
	}

	Directory(const Directory &) = delete;
	Directory &operator=(const Directory &) = delete;

	std::string name;
};

Bytes content_of(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	return { std::istreambuf_iterator<char>(file), {} };
}

std::size_t entries(const std::string &directory)
{
	const std::filesystem::directory_iterator all(directory);
	return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// What is done to the file, bit by bit of a byte.
enum { SECOND_NAME = 1, LINKED = 2, AS_DIRECTORY = 4, FIFO = 8, LOCKED = 16 };

int expected(std::size_t size, unsigned int mode, unsigned int kind, bool missing)
{
	if (missing)
		return CPRNG_SEED_MISSING;
	if ((kind & (LINKED | AS_DIRECTORY | FIFO | SECOND_NAME)) != 0 || size > seed_size)
		return CPRNG_ERR_FILE_TYPE;
	if ((mode & S_IWUSR) == 0 || ((mode & S_IRUSR) == 0 && geteuid() != 0))
		return CPRNG_ERR_SYSTEM;
	const int exposed = (mode & (S_IRWXG | S_IRWXO)) != 0 ? CPRNG_SEED_EXPOSED : 0;
	if ((kind & LOCKED) != 0 && exposed != 0)
		return CPRNG_SEED_EXPOSED | CPRNG_SEED_LOCKED;
	return exposed | (size < seed_size ? CPRNG_SEED_SHORT : 0);
}

void make(const std::string &path, const Bytes &content, unsigned int mode, unsigned int kind)
{
	const std::string target = (kind & LINKED) != 0 ? path + "-target" : path;

	if ((kind & AS_DIRECTORY) != 0) {
		demand(mkdir(target.c_str(), 0700) == 0, "mkdir");
	} else if ((kind & FIFO) != 0) {
		demand(mkfifo(target.c_str(), 0600) == 0, "mkfifo");
	} else {
		std::ofstream(target, std::ios::binary)
			.write(reinterpret_cast<const char *>(content.data()),
			       static_cast<std::streamsize>(content.size()));
		demand(chmod(target.c_str(), static_cast<mode_t>(mode)) == 0, "chmod");
		if ((kind & SECOND_NAME) != 0)
			demand(link(target.c_str(), (path + "-again").c_str()) == 0, "link");
	}
	if ((kind & LINKED) != 0)
		demand(symlink(target.c_str(), path.c_str()) == 0, "symlink");
}

} // namespace

void seed_files(Input input)
{
	static const Directory all;
	const std::string directory = all.name + "/one", path = directory + "/seed";
	const bool missing = input.below(8) == 0;
	unsigned int kind = input.below(2) == 0 ? 0 : input.byte();
	const unsigned int mode = input.below(2) == 0 ? 0600 : static_cast<unsigned int>(input.word(2)) & 0777;
	const std::size_t size = input.below(2) == 0 ? seed_size : input.below(200);
	const Bytes content = input.bytes(size);
	struct stat status = {};
	int held = -1;

	if (missing)
		kind = 0;
	std::filesystem::remove_all(directory);
	std::filesystem::create_directory(directory);
	if (!missing)
		make(path, content, mode, kind);
	const bool plain = (kind & (AS_DIRECTORY | FIFO | LINKED)) == 0;
	// Not of a private file, for whose lock a caller waits ten seconds.
	if ((kind & LOCKED) != 0 && plain && (mode & (S_IRWXG | S_IRWXO)) != 0)
		held = open(path.c_str(), O_RDWR | O_CLOEXEC);
	if (held < 0)
		kind &= ~static_cast<unsigned int>(LOCKED);
	else
		demand(flock(held, LOCK_EX | LOCK_NB) == 0, "flock");
	const int want = expected(size, mode, kind, missing);
	const std::size_t before = entries(directory);
	const int got = cprng_seed_file(path.c_str());
	if (held >= 0)
		close(held);
	demand(got == want, "the result is " + std::to_string(got) + ", not " + std::to_string(want));
	demand(entries(directory) == before + (missing && got >= 0 ? 1 : 0), "a file too many or too few");
	if (got < 0) {
		(void)chmod(path.c_str(), 0600);
		demand(!plain || content_of(path) == content, "a refused file is changed");
		return;
	}
	demand(lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 07777) == 0600,
	       "the new file's mode");
	const Bytes now = content_of(path);
	demand(now.size() == seed_size && now != content, "the new content");
}

} // namespace fuzz

// SPDX-License-Identifier: BSD-2-Clause
// A directory in which a generation file may be: only root and this process's user can change it and the directories above.
#ifndef CPRNG_TESTS_TRUSTED_PLACE_HPP
#define CPRNG_TESTS_TRUSTED_PLACE_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

class TrustedPlace {
public:
	TrustedPlace()
	{
		const char *const runtime = std::getenv("XDG_RUNTIME_DIR"), *const home = std::getenv("HOME");

		for (const std::string above :
		     { "/run", runtime != nullptr ? runtime : "", home != nullptr ? home : "" }) {
			std::string name = above + "/cprng-test-XXXXXX";

			if (is_trusted(above) && mkdtemp(&name[0]) != nullptr) {
				directory = name;
				break;
			}
		}
	}

	~TrustedPlace()
	{
		if (!directory.empty())
			std::filesystem::remove_all(directory);
	}

	TrustedPlace(const TrustedPlace &) = delete;
	TrustedPlace &operator=(const TrustedPlace &) = delete;

	bool is_there() const
	{
		return !directory.empty();
	}

	std::string path(const std::string &name) const
	{
		return directory + "/" + name;
	}

	// The content that `cprng invalidate` writes: the mark, a generation, and zeros up to this size.
	std::string make(const std::string &name, std::uint64_t generation = 1, off_t size = 4096) const
	{
		const std::string whole = path(name);
		const int fd = open(whole.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

		if (fd < 0 || fchmod(fd, 0644) != 0 || pwrite(fd, "cprnggen", 8, 0) != 8 ||
		    pwrite(fd, &generation, sizeof(generation), 8) != sizeof(generation) || ftruncate(fd, size) != 0)
			std::perror(whole.c_str());
		close(fd);
		return whole;
	}

	static void put(const std::string &file, std::uint64_t generation)
	{
		const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);

		if (fd < 0 || pwrite(fd, &generation, sizeof(generation), 8) != sizeof(generation))
			std::perror(file.c_str());
		close(fd);
	}

private:
	static bool is_trusted(const std::string &above)
	{
		for (std::filesystem::path p = above; !above.empty(); p = p.parent_path()) {
			struct stat status;

			if (lstat(p.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || (status.st_mode & 022) != 0 ||
			    (status.st_uid != 0 && status.st_uid != geteuid()))
				return false;
			if (p == p.parent_path())
				return true;
		}
		return false;
	}

	std::string directory;
};

#endif

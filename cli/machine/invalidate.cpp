// SPDX-License-Identifier: BSD-2-Clause
// cprng invalidate: change the generation file, which every process that has mapped it compares.
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "os/linux/generation_file.h"
#include "os/unix/calls.h"
#include "shell/commands.hpp"

namespace {

// The content of a new file: the mark, a generation in the machine's byte order, and zeros.
struct generation_page {
	char mark[CPRNG_FILE_GENERATION_AT];
	std::uint64_t generation;
	char zeros[CPRNG_FILE_SIZE_MIN - CPRNG_FILE_GENERATION_AT - sizeof(std::uint64_t)];
};
static_assert(sizeof(generation_page) == CPRNG_FILE_SIZE_MIN &&
	      sizeof(CPRNG_FILE_MARK) - 1 == CPRNG_FILE_GENERATION_AT);

// A random number, so that no file has had it on another machine or before a restart: a process restored from an image would
// not notice a number that it has already seen.  Never 0, the content of a truncated file.
std::uint64_t new_number()
{
	std::uint64_t number = 0;
	while (number == 0)
		cprng_strong(&number, sizeof(number));
	return number;
}

class descriptor {
public:
	explicit descriptor(int number) : number_(number)
	{
	}
	~descriptor()
	{
		if (number_ >= 0)
			close(number_);
	}
	descriptor(descriptor &&other) noexcept : number_(other.number_)
	{
		other.number_ = -1;
	}
	descriptor &operator=(descriptor &&other) noexcept
	{
		std::swap(number_, other.number_);
		return *this;
	}
	descriptor(const descriptor &) = delete;
	descriptor &operator=(const descriptor &) = delete;

	int get() const noexcept
	{
		return number_;
	}

private:
	int number_;
};

// The generation file.  Each step refuses what the library would refuse; otherwise processes would not notice the change.
class generation_file {
public:
	explicit generation_file(std::string path);

	// Opens the file for writing, and creates it if it is missing.
	descriptor open_or_create();

private:
	[[noreturn]] void fail(const std::string &reason) const;
	[[noreturn]] void fail_by_system(int error) const;
	void require_trusted(int fd, const std::string &what) const;
	void require_generation(int fd) const;
	void enter(const std::string &name, bool may_create);
	void create() const;

	std::string path_, name_;
	descriptor directory_;
};

void generation_file::fail(const std::string &reason) const
{
	throw runtime_failure(fmt::format("{}: {}", quote(path_), reason));
}

void generation_file::fail_by_system(int error) const
{
	fail(system_message(error));
}

void generation_file::require_trusted(int fd, const std::string &what) const
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		fail_by_system(errno);
	const uid_t user = status.st_uid;
	if ((user != 0 && (user != geteuid() || user == CPRNG_OVERFLOW_USER)) ||
	    (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		fail(fmt::format("another user may change {}", what));
}

// Enters the next directory.  may_create: the directory is the file's own.
void generation_file::enter(const std::string &name, bool may_create)
{
	const int parent = directory_.get();
	const auto try_to_open = [&] {
		return descriptor(openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	};
	descriptor next = try_to_open();
	if (next.get() < 0 && errno == ENOENT && may_create) {
		// Not subject to umask: other users' processes must reach the file.
		if (mkdirat(parent, name.c_str(), 0755) == 0) {
			if (fchmodat(parent, name.c_str(), 0755, 0) != 0)
				fail_by_system(errno);
		} else if (errno != EEXIST) {
			fail_by_system(errno);
		}
		next = try_to_open();
	}
	if (next.get() < 0) {
		if (errno == ENOTDIR || errno == ELOOP)
			fail("a symbolic link or a file is among its directories");
		fail_by_system(errno);
	}
	directory_ = std::move(next);
	require_trusted(directory_.get(), fmt::format("the directory {} on its way", quote(name)));
}

generation_file::generation_file(std::string path) : path_(std::move(path)), directory_(AT_FDCWD)
{
	if (path_.empty() || path_[0] != '/' || path_.size() >= CPRNG_FILE_NAME_MAX - 1)
		fail(fmt::format("its name must begin with /, and have less than {} bytes",
				 static_cast<int>(CPRNG_FILE_NAME_MAX - 1)));
	const std::size_t slash = path_.rfind('/');
	name_ = path_.substr(slash + 1);
	if (name_.empty())
		fail("not a file name");
	enter("/", false);
	for (std::size_t at = 0; at < slash;) {
		const std::size_t end = path_.find('/', at + 1);
		if (end > at + 1)
			enter(path_.substr(at + 1, end - at - 1), end == slash);
		at = end;
	}
}

// Write the file under another name and link it, so that no process maps a part of it.  A file that another command has made
// meanwhile stays.
void generation_file::create() const
{
	const std::string temporary = fmt::format(".{}.{}", name_, getpid());
	unlinkat(directory_.get(), temporary.c_str(), 0); // left by a killed command with this PID
	const descriptor file(openat(directory_.get(), temporary.c_str(),
				     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
	if (file.get() < 0)
		fail_by_system(errno);
	int error = 0;
	generation_page page = {};
	memcpy(page.mark, CPRNG_FILE_MARK, sizeof(page.mark));
	page.generation = new_number();
	const ssize_t written = write(file.get(), &page, sizeof(page));
	if (written != static_cast<ssize_t>(sizeof(page)))
		error = written < 0 ? errno : ENOSPC;
	else if (fchmod(file.get(), 0644) != 0)
		error = errno;
	else if (linkat(directory_.get(), temporary.c_str(), directory_.get(), name_.c_str(), 0) != 0 &&
		 errno != EEXIST)
		error = errno;
	unlinkat(directory_.get(), temporary.c_str(), 0);
	if (error != 0)
		fail_by_system(error);
}

void generation_file::require_generation(int fd) const
{
	struct stat status;
	struct statfs system;
	char mark[CPRNG_FILE_GENERATION_AT];

	if (fstat(fd, &status) != 0 || fstatfs(fd, &system) != 0)
		fail_by_system(errno);
	if (!S_ISREG(status.st_mode))
		fail("not a regular file");
	require_trusted(fd, "it");
	if (!cprng_generation_file_is_local(static_cast<std::uint32_t>(system.f_type)))
		fail("its file system is not tmpfs, ramfs, ext4, XFS or Btrfs, so no process would map it");
	if (status.st_size < CPRNG_FILE_SIZE_MIN ||
	    pread(fd, mark, sizeof(mark), 0) != static_cast<ssize_t>(sizeof(mark)) ||
	    memcmp(mark, CPRNG_FILE_MARK, sizeof(mark)) != 0)
		fail("it is not a generation file; nothing was changed");
}

descriptor generation_file::open_or_create()
{
	// No symbolic link, and no wait at a FIFO.
	constexpr int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	descriptor file(openat(directory_.get(), name_.c_str(), flags));
	if (file.get() < 0 && errno == ENOENT) {
		create();
		file = descriptor(openat(directory_.get(), name_.c_str(), flags));
		if (file.get() >= 0)
			inform(fmt::format("{} is new: processes that started earlier do not read it", quote(path_)));
	}
	if (file.get() < 0)
		fail(errno == ELOOP ? "a symbolic link" : system_message(errno));
	require_generation(file.get());
	return file;
}

std::string chosen(const std::optional<std::string> &named)
{
	if (named)
		return *named;
	// The file that a new process would read.
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	if (info.generation_file[0] == '\0')
		throw usage_error("no generation file is named: give --file FILE, or set CPRNG_GENERATION_FILE");
	return info.generation_file;
}

int run_invalidate(const std::optional<std::string> &named)
{
	generation_file place(chosen(named));
	const descriptor file = place.open_or_create();
	void *const mapped = mmap(nullptr, sizeof(generation_page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
	if (mapped == MAP_FAILED)
		throw runtime_failure(system_message(errno));
	// The number must change, even if several commands run at once.
	std::uint64_t &generation = static_cast<generation_page *>(mapped)->generation;
	std::uint64_t number;
	do
		number = new_number();
	while (__atomic_exchange_n(&generation, number, __ATOMIC_SEQ_CST) == number);
	munmap(mapped, sizeof(generation_page));
	return 0;
}

} // namespace

void add_invalidate(command_line &line)
{
	auto file = std::make_shared<std::optional<std::string>>();
	command &command = line.add("Machine", "invalidate", "make all processes drop what clones would share",
				    [file] { return run_invalidate(*file); });
	command.option("--file", *file, "FILE", "the generation file; created if missing");
	command.note(
		"Run it once when the machine starts, before the programs that draw, and again in each clone of the machine\n"
		"or its processes, before they continue.  `cprng info` shows which file is read.");
	command.example("cprng invalidate", "");
	command.example("cprng invalidate --file /run/cprng/generation", "");
}

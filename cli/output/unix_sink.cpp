// SPDX-License-Identifier: BSD-2-Clause
// A regular file is written under a temporary name in the same directory and renamed at the end.  A FIFO or character device is
// written directly, and a block device is refused.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/source.hpp"
#include "output/sink.hpp"
#include "output/space.hpp"
#include "system/interrupt.hpp"
#include "system/system.hpp"

namespace {

[[noreturn]] void fail_at(const std::string &file, const std::string &reason)
{
	throw runtime_failure(fmt::format("{}: {}", quote(file), reason));
}

// A FIFO, a character device and the like.
class other_file final : public sink {
public:
	explicit other_file(const std::string &file) : sink(-1, quote(file))
	{
		// open waits for the FIFO's reader.
		do
			descriptor_ = open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (descriptor_ < 0 && errno == EINTR);
		if (descriptor_ < 0)
			fail(errno);
	}

	void finish() override
	{
		sync();
		close_descriptor();
	}
};

// A new file, or one that replaces `old`.
class regular_file final : public sink {
public:
	// old: the existing file's stat(2), or null.
	regular_file(const std::string &file, const struct stat *old);
	// Removes the temporary file unless finish() was called.
	~regular_file() override;

	// Check the free space, and reserve it if the file system supports that; else other processes may take it.
	void reserve(std::uint64_t size) override;
	void finish() override;

private:
	void open_directory(const std::string &file, bool is_link);
	void check_old(const std::string &file, const struct stat &old);
	void open_temporary(mode_t mode);

	// Kept open, so that another user cannot exchange the directory.
	int directory_ = -1;
	std::string path_;
	// The last part of the path, and the temporary file's name.
	std::string base_;
	std::string temporary_;
	std::optional<mode_t> mode_;
};

regular_file::regular_file(const std::string &file, const struct stat *old) : sink(-1, quote(file)), path_(file)
{
	char first;
	open_directory(file, old != nullptr && readlink(file.c_str(), &first, 1) >= 0);
	try {
		if (old != nullptr)
			check_old(file, *old);
		// 0666: umask and default ACL reduce it, as for a shell's ">".
		open_temporary(old != nullptr ? 0600 : 0666);
	} catch (...) {
		// The destructor does not run for an object whose constructor throws.
		close(directory_);
		throw;
	}
}

regular_file::~regular_file()
{
	{
		interrupt_guard guard;
		abandon_file();
	}
	close(directory_);
}

// A symbolic link is followed and kept.
void regular_file::open_directory(const std::string &file, bool is_link)
{
	if (is_link) {
		// Only for a link: the directories of another path may be closed to this user.
		std::unique_ptr<char, decltype(&std::free)> path(realpath(file.c_str(), nullptr), std::free);
		if (!path)
			fail(errno);
		path_ = path.get();
	}
	const std::size_t slash = path_.rfind('/');
	base_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
	// O_PATH needs no permission to read the directory.
	directory_ = open(slash == std::string::npos ? "." : path_.substr(0, slash + 1).c_str(),
			  O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory_ < 0)
		fail(errno);
}

void regular_file::check_old(const std::string &file, const struct stat &old)
{
	// Another user may exchange the file, for example for a symbolic link, after stat(2).  stat(2) follows links under the
	// kernel's rules (such as protected_symlinks), but realpath(3) reads them, so it may have found a file that those rules
	// forbid.  Hence only the file that stat(2) found is replaced.
	struct stat found;
	if (fstatat(directory_, base_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
		fail(errno);
	if (!S_ISREG(found.st_mode) || found.st_dev != old.st_dev || found.st_ino != old.st_ino)
		fail_at(file, "another file took its place meanwhile");
	// A rename would replace even a read-only file, which its owner has protected.
	if (faccessat(directory_, base_.c_str(), W_OK, AT_EACCESS) != 0)
		fail(errno);
	mode_ = old.st_mode & 0777;
	// An ACL is lost, and the group's permissions in the mode were its mask: the group may have had fewer.
	if (getxattr(path_.c_str(), "system.posix_acl_access", nullptr, 0) >= 0)
		*mode_ &= ~static_cast<mode_t>(0070);
}

void regular_file::open_temporary(mode_t mode)
{
	require_entropy();
	std::string name = fmt::format(".cprng-{:016x}", static_cast<std::uint64_t>(cprng_fast64()));
	// No signal may arrive between the file's creation and remember_temporary().
	interrupt_guard guard;
	descriptor_ = openat(directory_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (descriptor_ < 0)
		fail(errno, mode_ ? ": no temporary file can be made beside it; '>' writes the file itself" : "");
	remember_temporary(directory_, name.c_str());
	temporary_ = std::move(name);
}

void regular_file::reserve(std::uint64_t size)
{
	if (size == 0)
		return;
	const std::optional<space> there = space_of(descriptor_);
	const std::uint64_t free = there ? there->free : 0;
	// Offsets are signed, so no file is longer.
	if (size > static_cast<std::uint64_t>(INT64_MAX))
		fail_to_fit(name_, EFBIG, size, free);
	// Before fallocate(2), which on ext4 takes all free space from other programs until it fails.
	if (there && size > free)
		fail_to_fit(name_, ENOSPC, size, free);
#ifdef FALLOC_FL_KEEP_SIZE
	// Not posix_fallocate(3): without file system support it writes into each block.
	int result;
	do
		result = fallocate(descriptor_, 0, 0, static_cast<off_t>(size));
	while (result != 0 && errno == EINTR);
	if (result != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
		fail_to_fit(name_, errno, size, free);
#endif
}

void regular_file::finish()
{
	if (mode_) {
		struct stat old;
		struct stat made;
		// The permissions of the old group are not those of another one.
		if (fstat(descriptor_, &made) != 0 ||
		    fstatat(directory_, base_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0)
			fail(errno);
		if (made.st_gid != old.st_gid)
			*mode_ &= ~static_cast<mode_t>(0070);
		if (fchmod(descriptor_, *mode_) != 0)
			fail(errno);
	}
	sync();
	close_descriptor();
	{
		interrupt_guard guard;
		if (renameat(directory_, temporary_.c_str(), directory_, base_.c_str()) != 0)
			fail(errno, mode_ ? ": it cannot be replaced; '>' writes the file itself" : "");
		forget_file();
	}
	// The new name survives a power failure only once the directory is synced, which some file systems cannot do.
	int readable = openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (readable >= 0) {
		(void)fsync(readable);
		close(readable);
	}
}

// As in `-o /dev/stdout` or `-o FILE >> FILE`: a replacement would lose the file's content and what is still written to it.
bool is_standard_output(const struct stat &file)
{
	struct stat status;
	return S_ISREG(file.st_mode) && fstat(STDOUT_FILENO, &status) == 0 && file.st_dev == status.st_dev &&
	       file.st_ino == status.st_ino;
}

std::unique_ptr<sink> make_new_file(const std::string &file)
{
	if (file.empty())
		throw runtime_failure("the name of the output file is empty");
	struct stat link;
	if (lstat(file.c_str(), &link) == 0)
		fail_at(file, "a dangling symbolic link");
	if (file.back() == '/')
		fail_at(file, system_message(EISDIR));
	return std::make_unique<regular_file>(file, nullptr);
}

} // namespace

std::unique_ptr<sink> open_sink(const std::optional<std::string> &name)
{
	if (!name || *name == "-")
		return make_standard_output();
	const std::string &file = *name;
	struct stat status;
	if (stat(file.c_str(), &status) != 0) {
		if (errno != ENOENT)
			fail_at(file, system_message(errno));
		return make_new_file(file);
	}
	if (S_ISDIR(status.st_mode))
		fail_at(file, system_message(EISDIR));
	if (S_ISBLK(status.st_mode))
		fail_at(file, "a block device is not overwritten; use '>' or dd");
	if (is_standard_output(status))
		return make_standard_output();
	if (S_ISREG(status.st_mode))
		return std::make_unique<regular_file>(file, &status);
	return std::make_unique<other_file>(file);
}

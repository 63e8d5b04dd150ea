// SPDX-License-Identifier: BSD-2-Clause
// A regular file is written under a temporary name in the same directory and renamed at the end; a file that cannot be
// replaced is overwritten in place.
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/interrupt.hpp"
#include "output/sink.hpp"

namespace {

// The directory part of a path, with its slash; empty for the current directory.
std::string directory_of(const std::string &path)
{
	std::size_t slash = path.rfind('/');
	return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// Resolve symbolic links.  stat(2) has already followed them under the kernel's rules (such as protected_symlinks),
// which a loop of readlink(2) would bypass.
std::string resolve(const std::string &path)
{
	std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr), std::free);
	return whole ? std::string(whole.get()) : path;
}

class disk_file : public sink {
protected:
	using sink::sink;

	// Check the free space, and reserve it if the file system supports that; else other processes may take it.
	// own: bytes of the disk that the file already occupies.
	void reserve_space(std::uint64_t size, int mode, std::uint64_t own) const;
};

void disk_file::reserve_space(std::uint64_t size, int mode, std::uint64_t own) const
{
	if (size == 0)
		return;
	struct statvfs space = {};
	// Some file systems, such as ramfs, do not know their size.
	const bool knows_space = fstatvfs(descriptor_, &space) == 0 && space.f_blocks != 0;
	// Root may have the blocks that are kept for it.
	const std::uint64_t free = std::uint64_t{ geteuid() == 0 ? space.f_bfree : space.f_bavail } * space.f_frsize;
	// Offsets are signed, so no file is longer.
	if (size > static_cast<std::uint64_t>(INT64_MAX))
		fail_to_fit(EFBIG, size, free);
	// Before fallocate(2), which on ext4 takes all free space from other programs until it fails.
	if (knows_space && size > free && size - free > own)
		fail_to_fit(ENOSPC, size, free);
#ifdef FALLOC_FL_KEEP_SIZE
	// Not posix_fallocate(3): without file system support it writes into each block.
	int result;
	do
		result = fallocate(descriptor_, mode, 0, static_cast<off_t>(size));
	while (result != 0 && errno == EINTR);
	if (result != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
		fail_to_fit(errno, size, free);
#else
	(void)mode;
#endif
}

// For a file that cannot be replaced: a mount point, or in a directory that the caller cannot change.  The old contents
// stay until the first write, and the old length until the last.
class file_in_place final : public disk_file {
public:
	file_in_place(const std::string &file, const struct stat &existing)
	    : disk_file(-1, quote(file)), occupied_(static_cast<std::uint64_t>(existing.st_blocks) * 512)
	{
		descriptor_ = open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (descriptor_ < 0)
			fail(errno);
	}

	void reserve(std::uint64_t size) override
	{
#ifdef FALLOC_FL_KEEP_SIZE
		reserve_space(size, FALLOC_FL_KEEP_SIZE, occupied_);
#else
		reserve_space(size, 0, occupied_);
#endif
	}

	void prepare(std::uint64_t done, const void *, std::size_t size) override
	{
		end_ = done + size;
	}

	std::string where(std::uint64_t done) const override
	{
		return done == 0 ? std::string() :
				   fmt::format(" after {} bytes, which are in the file: it is written in place", done);
	}

	void finish() override
	{
		int result;
		do
			result = ftruncate(descriptor_, static_cast<off_t>(end_));
		while (result != 0 && errno == EINTR);
		if (result != 0)
			fail(errno, where(end_));
		sync();
		close_descriptor();
	}

private:
	std::uint64_t occupied_;
	std::uint64_t end_ = 0;
};

bool is_mounted_by_itself(const std::string &file)
{
#ifdef STATX_ATTR_MOUNT_ROOT
	struct statx status = {};
	return statx(AT_FDCWD, file.c_str(), 0, STATX_TYPE, &status) == 0 &&
	       (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
	(void)file;
	return false;
#endif
}

// In a sticky directory such as /tmp, only root and the owners of the file and directory can replace the file.
bool is_kept_by_sticky_bit(const std::string &directory, const struct stat &file)
{
	struct stat status;
	const uid_t user = geteuid();
	return stat(directory.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0 && user != 0 &&
	       user != status.st_uid && user != file.st_uid;
}

bool can_be_replaced(const std::string &file, const struct stat &existing)
{
	const std::string name = directory_of(file);
	const std::string directory = name.empty() ? "." : name;
	const bool is_closed = faccessat(AT_FDCWD, directory.c_str(), W_OK, AT_EACCESS) != 0 &&
			       (errno == EACCES || errno == EROFS);
	return !is_closed && !is_mounted_by_itself(file) && !is_kept_by_sticky_bit(directory, existing);
}

class regular_file final : public disk_file {
public:
	regular_file(const std::string &file, const struct stat *existing);
	// Removes the temporary file unless finish() was called.
	~regular_file() override;
	void reserve(std::uint64_t size) override;
	void finish() override;

private:
	void open_temporary(mode_t mode);

	// The file that is made or replaced, and the temporary file.
	std::string target_;
	std::string temporary_;
	// The replaced file's mode and owner, to keep.
	bool replaces_ = false;
	mode_t mode_ = 0;
	uid_t owner_ = 0;
	gid_t group_ = 0;
};

regular_file::regular_file(const std::string &file, const struct stat *existing) : disk_file(-1, quote(file))
{
	if (existing == nullptr) {
		if (file.empty())
			throw runtime_failure("the name of the output file is empty");
		struct stat link;
		if (lstat(file.c_str(), &link) == 0)
			throw runtime_failure(fmt::format("{}: a symbolic link that leads nowhere", name_));
		if (file.back() == '/')
			fail(EISDIR);
		target_ = file;
		// 0666: umask and default ACL reduce it, as for a shell's ">".
		open_temporary(0666);
		return;
	}
	target_ = resolve(file);
	if (S_ISDIR(existing->st_mode))
		fail(EISDIR);
	// A rename would replace even a read-only file, which its owner has protected.
	if (faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
		fail(errno);
	replaces_ = true;
	mode_ = existing->st_mode & 0777;
	owner_ = existing->st_uid;
	group_ = existing->st_gid;
	open_temporary(0600);
}

regular_file::~regular_file()
{
	if (temporary_.empty())
		return;
	interrupt_guard guard;
	unlink(temporary_.c_str());
	forget_temporary();
}

void regular_file::open_temporary(mode_t mode)
{
	std::string name =
		fmt::format("{}.cprng-{:016x}", directory_of(target_), static_cast<std::uint64_t>(cprng_fast64()));
	if (name.size() >= PATH_MAX)
		fail(ENAMETOOLONG);
	// No signal may arrive between the file's creation and remember_temporary().
	interrupt_guard guard;
	descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (descriptor_ < 0 && replaces_)
		throw runtime_failure(
			fmt::format("{}: no temporary file can be made beside it: {}", name_, system_message(errno)));
	if (descriptor_ < 0)
		fail(errno);
	remember_temporary(name.c_str());
	temporary_ = std::move(name);
}

void regular_file::reserve(std::uint64_t size)
{
	reserve_space(size, 0, 0);
}

void regular_file::finish()
{
	if (replaces_) {
		// Only root can change a file's owner.  If the group cannot be kept, the new group must not inherit the
		// old one's rights.
		if (fchown(descriptor_, owner_, group_) != 0 &&
		    fchown(descriptor_, static_cast<uid_t>(-1), group_) != 0)
			mode_ &= ~static_cast<mode_t>(0070);
		if (fchmod(descriptor_, mode_) != 0)
			fail(errno);
	}
	sync();
	close_descriptor();
	{
		interrupt_guard guard;
		if (rename(temporary_.c_str(), target_.c_str()) != 0)
			fail(errno);
		forget_temporary();
		temporary_.clear();
	}
	// The new name survives a power failure only once the directory is synced, which some file systems cannot do.
	std::string directory = directory_of(target_);
	int parent = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		(void)fsync(parent);
		close(parent);
	}
}

} // namespace

std::unique_ptr<sink> make_regular_file(const std::string &file, const struct stat *existing)
{
	if (existing != nullptr && S_ISREG(existing->st_mode) && !can_be_replaced(resolve(file), *existing))
		return std::make_unique<file_in_place>(file, *existing);
	return std::make_unique<regular_file>(file, existing);
}

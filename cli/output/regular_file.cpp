// SPDX-License-Identifier: BSD-2-Clause
// A regular file is written under a temporary name in the same directory and renamed at the end; a file that cannot be
// replaced is overwritten in place.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
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

// A file's name in its directory.  The directory is open, so that another user cannot exchange it.
class place {
public:
	// existing: the file's stat(2), or null.
	place(const std::string &file, const struct stat *existing);
	~place()
	{
		close(directory_);
	}
	place(const place &) = delete;
	place &operator=(const place &) = delete;

	int directory() const noexcept
	{
		return directory_;
	}
	const char *name() const noexcept
	{
		return name_.c_str();
	}

	// Open the file that stat(2) has found.
	int open_existing(int flags) const;

	// Whether it is in the file system of /dev, which is memory: a file there is the misspelt name of a device.
	bool is_among_devices() const;

	// Whether a rename can replace the file.
	bool can_be_replaced() const;

private:
	bool is_mounted_by_itself() const;
	bool is_kept_by_sticky_bit() const;

	std::string file_;
	struct stat existing_ = {};
	std::string name_;
	int directory_;
};

place::place(const std::string &file, const struct stat *existing) : file_(file)
{
	std::string whole = file;
	if (existing != nullptr)
		existing_ = *existing;
	char first;
	if (existing != nullptr && readlink(file.c_str(), &first, 1) >= 0) {
		// A symbolic link is followed, and stays.  Another file needs no whole path, whose directories may be closed to
		// this user.
		std::unique_ptr<char, decltype(&std::free)> path(realpath(file.c_str(), nullptr), std::free);
		if (!path)
			fail_at(file, system_message(errno));
		whole = path.get();
	}
	const std::size_t slash = whole.rfind('/');
	name_ = slash == std::string::npos ? whole : whole.substr(slash + 1);
	// O_PATH needs no permission to read the directory.
	directory_ = open(slash == std::string::npos ? "." : whole.substr(0, slash + 1).c_str(),
			  O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory_ < 0)
		fail_at(file, system_message(errno));
}

// Event: another user exchanges the file, for a symbolic link say, after stat(2).  Reason: stat(2) follows links under the
// kernel's rules (such as protected_symlinks), but realpath(3) reads them, so it may have found a file that this user may not
// name, and that would get the owner and mode of the first.  Pairing: only the file that stat(2) has found is opened.
int place::open_existing(int flags) const
{
	// Without O_NONBLOCK, open would wait for the reader of a FIFO.
	const int descriptor = openat(directory_, name(), flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	if (descriptor < 0)
		fail_at(file_, system_message(errno));
	struct stat status;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == existing_.st_dev &&
	    status.st_ino == existing_.st_ino)
		return descriptor;
	close(descriptor);
	fail_at(file_, "another file took its place meanwhile");
}

bool place::is_among_devices() const
{
	struct stat here, devices, root;
	// /dev/shm has a file system of its own.  Where /dev is part of that of /, a new file occupies no memory.
	return fstat(directory_, &here) == 0 && stat("/dev", &devices) == 0 && stat("/", &root) == 0 &&
	       here.st_dev == devices.st_dev && here.st_dev != root.st_dev;
}

bool place::is_mounted_by_itself() const
{
#ifdef STATX_ATTR_MOUNT_ROOT
	struct statx status = {};
	return statx(directory_, name(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0 &&
	       (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
	return false;
#endif
}

// In a sticky directory such as /tmp, only root and the owners of the file and directory can replace the file.
bool place::is_kept_by_sticky_bit() const
{
	struct stat status;
	const uid_t user = geteuid();
	return fstat(directory_, &status) == 0 && (status.st_mode & S_ISVTX) != 0 && user != 0 &&
	       user != status.st_uid && user != existing_.st_uid;
}

bool place::can_be_replaced() const
{
	const bool is_closed = faccessat(directory_, ".", W_OK, AT_EACCESS) != 0 && (errno == EACCES || errno == EROFS);
	return !is_closed && !is_mounted_by_itself() && !is_kept_by_sticky_bit();
}

class disk_file : public sink {
protected:
	using sink::sink;

	// Check the free space, and reserve it if the file system supports that; else other processes may take it.
	// own: bytes that the file already has on the disk.  in_place: its length stays.
	void reserve_space(std::uint64_t size, std::uint64_t own, bool in_place) const;
};

void disk_file::reserve_space(std::uint64_t size, std::uint64_t own, bool in_place) const
{
	if (size == 0)
		return;
	const std::optional<space> there = space_of(descriptor_);
	const std::uint64_t free = there ? there->free : 0;
	// Offsets are signed, so no file is longer.
	if (size > static_cast<std::uint64_t>(INT64_MAX))
		fail_to_fit(name_, EFBIG, size, free);
	// Before fallocate(2), which on ext4 takes all free space from other programs until it fails.
	if (there && size > free && size - free > own)
		fail_to_fit(name_, ENOSPC, size, free);
#ifdef FALLOC_FL_KEEP_SIZE
	if (in_place) {
		interrupt_guard guard;
		remember_reserved(descriptor_);
	}
	// Not posix_fallocate(3): without file system support it writes into each block.
	int result;
	do
		result = fallocate(descriptor_, in_place ? FALLOC_FL_KEEP_SIZE : 0, 0, static_cast<off_t>(size));
	while (result != 0 && errno == EINTR);
	if (result != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
		fail_to_fit(name_, errno, size, free);
#else
	(void)in_place;
#endif
}

// For a file that cannot be replaced: a mount point, or in a directory that the caller cannot change.  The old contents
// stay until the first write, and the old length until the last.
class file_in_place final : public disk_file {
public:
	file_in_place(const std::string &file, const place &at, const struct stat &existing)
	    : disk_file(at.open_existing(O_WRONLY), quote(file)), own_(own_bytes(existing))
	{
	}
	// Frees what was reserved unless finish() was called.
	~file_in_place() override
	{
		interrupt_guard guard;
		abandon_file();
	}

	void reserve(std::uint64_t size) override
	{
		reserve_space(size, own_, true);
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
		{
			interrupt_guard guard;
			forget_file();
		}
		close_descriptor();
	}

private:
	// A file with holes, or that is compressed, may need new blocks anywhere.
	std::uint64_t own_bytes(const struct stat &existing) const
	{
		const bool is_whole = existing.st_blocks >= existing.st_size / 512 &&
				      lseek(descriptor_, 0, SEEK_HOLE) == existing.st_size;
		if (lseek(descriptor_, 0, SEEK_SET) != 0)
			fail(errno);
		return is_whole ? static_cast<std::uint64_t>(existing.st_size) : 0;
	}

	std::uint64_t own_;
	std::uint64_t end_ = 0;
};

// Copy the POSIX ACL, or remove the one that the new file has inherited from its directory.  Returns false if it could not, or
// might not copy one: then the mode has no group bits, which limit an ACL's entries.
bool copy_acl(int from, int to, bool may_copy)
{
	constexpr const char *name = "system.posix_acl_access";
	std::vector<char> acl(XATTR_SIZE_MAX);
	const ssize_t size = fgetxattr(from, name, acl.data(), acl.size());
	if (size >= 0)
		return may_copy && fsetxattr(to, name, acl.data(), static_cast<std::size_t>(size), 0) == 0;
	if (errno != ENODATA && errno != ENOTSUP)
		return false;
	return fremovexattr(to, name) == 0 || errno == ENODATA || errno == ENOTSUP;
}

class regular_file final : public disk_file {
public:
	// replaces: whether there is a file at that place.
	regular_file(const std::string &file, std::unique_ptr<const place> at, bool replaces);
	// Removes the temporary file unless finish() was called.
	~regular_file() override;
	void reserve(std::uint64_t size) override;
	void finish() override;

private:
	void open_temporary(mode_t mode);

	std::unique_ptr<const place> place_;
	std::string temporary_;
	// The replaced file, or -1.
	int old_ = -1;
};

regular_file::regular_file(const std::string &file, std::unique_ptr<const place> at, bool replaces)
    : disk_file(-1, quote(file)), place_(std::move(at))
{
	if (replaces) {
		// A rename would replace even a read-only file, which its owner has protected.
		if (faccessat(place_->directory(), place_->name(), W_OK, AT_EACCESS) != 0)
			fail(errno);
		const bool is_readable = faccessat(place_->directory(), place_->name(), R_OK, AT_EACCESS) == 0;
		old_ = place_->open_existing(is_readable ? O_RDONLY : O_WRONLY);
	}
	// 0666: umask and default ACL reduce it, as for a shell's ">".
	open_temporary(replaces ? 0600 : 0666);
}

regular_file::~regular_file()
{
	if (old_ >= 0)
		close(old_);
	interrupt_guard guard;
	abandon_file();
}

void regular_file::open_temporary(mode_t mode)
{
	require_entropy();
	std::string name = fmt::format(".cprng-{:016x}", static_cast<std::uint64_t>(cprng_fast64()));
	// No signal may arrive between the file's creation and remember_temporary().
	interrupt_guard guard;
	descriptor_ =
		openat(place_->directory(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (descriptor_ < 0 && old_ >= 0)
		throw runtime_failure(
			fmt::format("{}: no temporary file can be made beside it: {}", name_, system_message(errno)));
	if (descriptor_ < 0)
		fail(errno);
	remember_temporary(place_->directory(), name.c_str());
	temporary_ = std::move(name);
}

void regular_file::reserve(std::uint64_t size)
{
	reserve_space(size, 0, false);
}

void regular_file::finish()
{
	if (old_ >= 0) {
		struct stat old;
		if (fstat(old_, &old) != 0)
			fail(errno);
		mode_t mode = old.st_mode & 0777;
		// Only root can change a file's owner.  If the group cannot be kept, the new group must not inherit the
		// old one's rights.
		const bool keeps_group = fchown(descriptor_, old.st_uid, old.st_gid) == 0 ||
					 fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0;
		if (!keeps_group)
			mode &= ~static_cast<mode_t>(0070);
		if (!copy_acl(old_, descriptor_, keeps_group))
			mode &= 0700;
		if (fchmod(descriptor_, mode) != 0)
			fail(errno);
	}
	sync();
	close_descriptor();
	const int directory = place_->directory();
	{
		interrupt_guard guard;
		if (renameat(directory, temporary_.c_str(), directory, place_->name()) != 0)
			fail(errno);
		forget_file();
	}
	// The new name survives a power failure only once the directory is synced, which some file systems cannot do.
	int readable = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (readable >= 0) {
		(void)fsync(readable);
		close(readable);
	}
}

} // namespace

std::unique_ptr<sink> make_regular_file(const std::string &file, const struct stat *existing)
{
	if (existing == nullptr) {
		if (file.empty())
			throw runtime_failure("the name of the output file is empty");
		struct stat link;
		if (lstat(file.c_str(), &link) == 0)
			fail_at(file, "a symbolic link that leads nowhere");
		if (file.back() == '/')
			fail_at(file, system_message(EISDIR));
	} else if (S_ISDIR(existing->st_mode)) {
		fail_at(file, system_message(EISDIR));
	}
	auto at = std::make_unique<const place>(file, existing);
	if (existing == nullptr && at->is_among_devices())
		fail_at(file, "no such device, and no regular file is made in /dev");
	if (existing != nullptr && !at->can_be_replaced())
		return std::make_unique<file_in_place>(file, *at, *existing);
	return std::make_unique<regular_file>(file, std::move(at), existing != nullptr);
}
